#include "search/exact/branch_and_bound.hpp"

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
  const Picoseconds lower_ps = lower_bounds(problem).best_ps();
  const bool proven =
      (search.best_score().fits() && search.best_score().step_ps <= lower_ps) ||
      (search.searches_orders() ? branch_and_bound_orders(search, nodes, lower_ps)
                                : branch_and_bound_placements(search, nodes, lower_ps));
  if (proven) search.claim_optimal();
  return proven;
}

}  // namespace placer
