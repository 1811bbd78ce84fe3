// The best placement under throughput by a mixed-integer linear program, solved by CBC: after
// Tarnawski, Phanishayee, Devanur, Mahajan, Nina Paravecino, "Efficient Algorithms for Device
// Placement of DNN Graph Operators" (NeurIPS 2020), section 5.2, with links of several speeds,
// transfers that overlap and stages besides.
#include <cmath>

#include "placer/search/optimizer.hpp"
#include "search/core/events.hpp"
#include "search/core/plain_placements.hpp"
#include "search/exact/mixed_search.hpp"
#include "search/exact/mixed_solver.hpp"
#include "search/exact/pipeline_search.hpp"
#include "search/local/starts.hpp"

namespace placer {
namespace {

struct Options {
  bool prepare = true;
  std::int64_t nodes = 100'000;
  std::int64_t entries = 2'000'000;
};
constexpr std::array kRows = {
    option("prepare", &Options::prepare,
           "whether interval-dp and multilevel look for a good placement before the program does"),
    option("nodes", &Options::nodes, 1, 1'000'000'000,
           "of the program's tree, to look at before it gives up the proof; each is an evaluation"),
    option("entries", &Options::entries, 1, 100'000'000,
           "coefficients of the program, with more of which it is not solved"),
};
static_assert(kRows.size() == member_count<Options>);

constexpr double kPrepareShare = 0.1;         // of the budget
constexpr double kMostPreparations = 20'000;  // evaluations without a limit of time

void prepare(Search& search) {
  const Stage stage(search, "milp", "a good placement to begin with");
  if (search_intervals(search) || search.spent()) return;
  const bool has_clock = !std::isinf(search.problem().deadline().seconds_left());
  const auto left = static_cast<double>(search.evaluations_left());
  Search part =
      has_clock ? search.part(kPrepareShare)
                : search.part_of(std::llround(std::min(kPrepareShare * left, kMostPreparations)));
  const Optimizer& multilevel = find_optimizer("multilevel");
  multilevel.run(checked_options(multilevel.options, {}), part);
}

void run(const Options& options, Search& search) {
  if (search.best() == nullptr) search.evaluate(list_scheduled_placement(search.problem()));
  if (search.spent() || !try_single_devices(search)) return;
  if (options.prepare) prepare(search);
  if (!search.spent()) search_throughput_program(search, {options.nodes, options.entries});
}

}  // namespace

Optimizer milp() {
  return make_optimizer(
      {.summary = "a mixed-integer linear program solved by CBC: the best placement for "
                  "throughput, contiguous or not, with a bound",
       .unfit_for = "graphs of more than some hundred groups, where other searches find more",
       .source = "Tarnawski et al. 2020 (NeurIPS)",
       .departs = "begins with what interval-dp and multilevel find, and does not model latency",
       .proves = true,
       .only_throughput = true,
       .unavailable =
           can_solve_mixed_programs() ? "" : "this build is without CBC (coinor-libcbc-dev)"},
      kRows, run);
}

}  // namespace placer
