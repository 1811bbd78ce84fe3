#include "search/exact/branch_and_bound.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "placer/search/bounds.hpp"
#include "search/core/plain_placements.hpp"
#include "search/lists/rules.hpp"

namespace placer {

double placement_count(const Problem& problem) {
  double count = 1;
  for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
    count *= static_cast<double>(problem.groups().allowed(group).size());
  }
  return count;
}

bool branch_and_bound(Search& search, std::int64_t nodes) {
  const Problem& problem = search.problem();
  if (search.best() == nullptr) {
    const ListSchedule schedule = heft_schedule(problem, {});
    if (!search.evaluate(schedule.placement(), schedule.order())) return false;
    if (!try_single_devices(search)) return false;
  }
  const Picoseconds lower_ps = lower_bounds(problem, search.observer()).best_ps();
  search.observer().tell(EventLevel::kInfo, "branch-and-bound", [&] {
    return fmt::format("begins with {:.6g} s and the bound {:.6g} s, at most {} nodes",
                       to_seconds(search.best_score().step_ps), to_seconds(lower_ps), nodes);
  });
  const bool meets_bound = search.best_score().fits() && search.best_score().step_ps <= lower_ps;
  if (meets_bound) tell_exact_end(search, 0, true);
  const bool proven = meets_bound || (search.searches_orders()
                                          ? branch_and_bound_orders(search, nodes, lower_ps)
                                          : branch_and_bound_placements(search, nodes, lower_ps));
  if (proven) search.claim_optimal();
  return proven;
}

void tell_exact_end(const Search& search, std::int64_t nodes, bool proven) {
  search.observer().tell(EventLevel::kInfo, "branch-and-bound", [&] {
    const std::string_view why = proven           ? "the best is proven optimal"
                                 : search.spent() ? "the budget is spent"
                                                  : "no proof within its nodes or widths";
    return fmt::format("ends after {} nodes: {}", nodes, why);
  });
}

}  // namespace placer
