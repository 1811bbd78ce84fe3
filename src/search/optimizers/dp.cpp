// The best pipeline of contiguous stages, over all sets of groups that stages can begin with: the
// forward pass up to somewhere. Tarnawski, Phanishayee, Devanur, Mahajan, Nina Paravecino,
// "Efficient Algorithms for Device Placement of DNN Graph Operators" (NeurIPS 2020), section 5.1.
#include "placer/search/optimizer.hpp"
#include "search/exact/pipeline_search.hpp"

namespace placer {
namespace {

struct Options {
  std::int64_t sets = 200'000;
  std::int64_t nodes = 1'000'000'000;
};
constexpr std::array kRows = {
    option("sets", &Options::sets, 1, 10'000'000,
           "down-sets to look at most; where there are more, pipelines along one order of the "
           "groups only"),
    option("nodes", &Options::nodes, 1, 1'000'000'000'000,
           "stages to look at before it gives up; 1,000 are an evaluation"),
};
static_assert(kRows.size() == member_count<Options>);

void run(const Options& options, Search& search) {
  const auto sets = static_cast<std::size_t>(options.sets);
  if (!search_down_sets(search, sets, options.nodes).saw_all) search.claim_own_limit();
}

}  // namespace

Optimizer dp() {
  return make_optimizer(
      {.summary =
           "dynamic programming over all contiguous stages of a pipeline: the best one, with "
           "--stages proven",
       .unfit_for = "the time of a single step, which it does not look at, and graphs with many "
                    "parallel branches",
       .source = "Tarnawski et al. 2020 (NeurIPS)",
       .departs = "stages are looked for below what interval-dp finds, and replicated under "
                  "--microbatches only",
       .deterministic = true,
       .proves = true},
      kRows, run);
}

}  // namespace placer
