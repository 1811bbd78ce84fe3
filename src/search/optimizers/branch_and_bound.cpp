// Groups go to devices one by one, cut off where bounds of what is left reach the best known; under
// `given` ops to devices in the order of their starts, level by level in beams that grow until
// nothing is left behind. After Fernandez, Bussell 1973 and Giffler, Thompson 1960, too.
#include "search/exact/branch_and_bound.hpp"

#include <fmt/format.h>

#include <array>

#include "placer/base/errors.hpp"
#include "placer/search/optimizer.hpp"
#include "search/exact/schedule_model.hpp"

namespace placer {
namespace {

struct Options {
  std::int64_t nodes = 10'000'000;
};

constexpr std::array kRows = {
    option("nodes", &Options::nodes, 1, 1'000'000'000'000,
           "partial placements or schedules to look at before it gives up the proof"),
};
static_assert(kRows.size() == member_count<Options>);

constexpr double kMostPlacements = 1e12;

/// Without a budget it is asked for a proof.
void require_small(const Search& search) {
  const Problem& problem = search.problem();
  if (search.limited()) return;
  if (search.searches_orders()) {
    if (ScheduleModel::is_small(problem)) return;
    throw Error(fmt::format(
        "algorithm branch-and-bound: expected at most {} ops on {} devices under order given, or a "
        "budget (--evaluations, --time-limit), found {} on {}",
        ScheduleModel::kMostOps, ScheduleModel::kMostMachines, problem.op_count(),
        problem.device_count()));
  }
  if (placement_count(problem) > kMostPlacements) {
    throw Error(
        fmt::format("algorithm branch-and-bound: expected at most {:.0e} placements or a budget "
                    "(--evaluations, --time-limit), found {:.4g} placements",
                    kMostPlacements, placement_count(problem)));
  }
}

void run(const Options& options, Search& search) {
  require_small(search);
  const ExactEnd end = branch_and_bound(search, {.most_nodes = options.nodes});
  if (end == ExactEnd::kCutShort) search.claim_own_limit();
}

}  // namespace

Optimizer branch_and_bound() {
  return make_optimizer(
      {.summary = "branch and bound over placements, under order given over schedules: proves "
                  "the optimum of small graphs",
       .unfit_for = "large graphs, where it proves nothing and other searches find more",
       .source = "Land, Doig: An Automatic Method of Solving Discrete Programming Problems, "
                 "Econometrica 28, 1960",
       .deterministic = true,
       .anytime = true,
       .proves = true,
       .only_steps = true},
      kRows, run);
}

}  // namespace placer
