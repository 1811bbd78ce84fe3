// The first ablation of Post: Gao, Chen, Li 2018, section 4.
#include "placer/search/optimizer.hpp"
#include "search/learned/marginal_options.hpp"
#include "search/learned/marginal_start.hpp"
#include "search/learned/marginal_updates.hpp"

namespace placer {
namespace {

struct Options {
  Preset preset = Preset::kTuned;
  std::int64_t batch = 12;
  AdvantageUnit advantage = AdvantageUnit::kSecond;
  double learning_rate = 1;
  MarginalInit init = MarginalInit::kUniform;
};

constexpr std::array kRows = {
    preset_row<&Options::preset>(),       batch_row(&Options::batch),
    advantage_row<&Options::advantage>(), learning_rate_row(&Options::learning_rate),
    init_row<&Options::init>(),
};
static_assert(kRows.size() == member_count<Options>);

void run(const Options& options, Search& search) {
  Marginals marginals = first_marginals(search, options.init);
  learn_by_batches(search, marginals,
                   {.name = "policy-gradient",
                    .samples = static_cast<std::size_t>(options.batch),
                    .learn =
                        [&](std::span<const Sample> batch) {
                          policy_gradient_update(marginals, batch, options.learning_rate,
                                                 options.advantage);
                        },
                    .describe =
                        [&](const DrawnBatch& batch, UpdateFigures& figures) {
                          figures.loss = surrogate_loss(marginals, batch, options.advantage);
                          figures.learning_rate = options.learning_rate;
                        }});
}

}  // namespace

Optimizer policy_gradient() {
  return make_optimizer(
      {.summary = "REINFORCE on one device distribution for each group",
       .unfit_for = "small budgets: each batch is used for one small step",
       .source = "Williams: Simple Statistical Gradient-Following Algorithms for Connectionist "
                 "Reinforcement Learning, Machine Learning 8, 1992",
       .departs = "One distribution for each group stands for the network, as in the ablation of "
                  "the paper of post. By default advantages are in deviations of their batch, not "
                  "in seconds.",
       .learns = true,
       .max_groups = 64,
       .in_batches = true},
      kRows, Options{.advantage = AdvantageUnit::kDeviation}, run);
}

}  // namespace placer
