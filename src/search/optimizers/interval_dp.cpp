// The best pipeline whose stages follow each other in one order of the groups, by depth first:
// PipeDream's partitioning of a line of layers (Harlap et al. 2018; Narayanan et al., SOSP 2019,
// section 3.1), with memory, hosts and devices of several kinds, without replicas (best_pipeline
// has them).
#include "placer/search/optimizer.hpp"
#include "search/exact/pipeline_search.hpp"

namespace placer {
namespace {

void run(Search& search) { search_intervals(search); }

}  // namespace

Optimizer interval_dp() {
  return make_optimizer(
      {.summary = "dynamic programming over stages along one order of the groups: the best "
                  "pipeline of a line of layers, with --contiguous proven",
       .unfit_for =
           "the time of a single step, which it does not look at, and graphs of parallel branches",
       .source = "PipeDream, Narayanan et al. 2019 (SOSP)",
       .departs = "devices may be of several kinds, and stages are replicated under "
                  "--microbatches only",
       .deterministic = true},
      run);
}

}  // namespace placer
