// Post without its proximal updates: Gao, Chen, Li 2018, Theorem 1. Among thousands of groups a few
// elites say little about each.
#include "placer/search/optimizer.hpp"
#include "search/learned/marginal_options.hpp"
#include "search/learned/marginal_start.hpp"
#include "search/learned/marginal_updates.hpp"

namespace placer {
namespace {

struct Options {
  std::int64_t round = 60;
  double elite_share = 0.1;
  double epsilon = 0.1;
  MarginalInit init = MarginalInit::kUniform;
};

constexpr std::array kRows = {
    option("round", &Options::round, 2, 1000000, "samples of each update (N)"),
    elite_share_row(&Options::elite_share),
    epsilon_row(&Options::epsilon),
    init_row<&Options::init>(),
};
static_assert(kRows.size() == member_count<Options>);

void run(const Options& options, Search& search) {
  Marginals marginals = first_marginals(search, options.init);
  learn_by_batches(search, marginals,
                   {.name = "cross-entropy",
                    .samples = static_cast<std::size_t>(options.round),
                    .learn = [&](std::span<const Sample> round) {
                      cross_entropy_update(marginals, round, options.elite_share,
                                           options.epsilon * (1 - search.progress()));
                    }});
}

}  // namespace

Optimizer cross_entropy() {
  return make_optimizer(
      {.summary = "the cross-entropy method on one device distribution for each group",
       .unfit_for = "graphs left in thousands of groups; merge them first",
       .source = "Rubinstein, Kroese: The Cross-Entropy Method, Springer, 2004",
       .departs = "A share epsilon of the uniform distribution, falling to 0, is mixed in, since "
                  "a device that no elite chose would never be drawn again.",
       .learns = true,
       .max_groups = 64,
       .in_batches = true},
      kRows, run);
}

}  // namespace placer
