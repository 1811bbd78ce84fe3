#include "search/exact/branch_and_bound.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "placer/search/bounds.hpp"
#include "search/core/plain_placements.hpp"
#include "search/lists/rules.hpp"
#include "search/tree/placement_tree.hpp"

namespace placer {

double placement_count(const Problem& problem) {
  double count = 1;
  for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
    count *= static_cast<double>(problem.groups().allowed(group).size());
  }
  return count;
}

namespace {

constexpr double kOrdersShare = 0.5;

void tell_end(const Search& search, const NodeBudget& nodes, std::string_view of, ExactEnd end) {
  search.observer().tell(EventLevel::kInfo, "branch-and-bound", [&] {
    const std::string_view why = end == ExactEnd::kProven        ? "the best is proven optimal"
                                 : end == ExactEnd::kNothingFits ? "nothing fits"
                                 : search.spent()                ? "the budget is spent"
                                                  : "no proof within its nodes or widths";
    return fmt::format("ends after {} partial {}: {}", nodes.taken(), of, why);
  });
}

ExactEnd search_schedules(Search& search, std::int64_t most_nodes, Picoseconds lower_ps) {
  Search part = search.part(kOrdersShare);
  NodeBudget nodes(most_nodes, part);
  const ExactEnd end = branch_and_bound_orders(part, nodes, lower_ps);
  tell_end(part, nodes, "schedules", end);
  return end;
}

ExactEnd search_placements(Search& search, const ExactEffort& effort, Picoseconds lower_ps) {
  NodeBudget nodes(effort.most_nodes, search);
  const ExactEnd end = search_placement_tree(search, nodes, effort.most_in_vain, lower_ps);
  tell_end(search, nodes, "placements", end);
  return end;
}

}  // namespace

ExactEnd branch_and_bound(Search& search, const ExactEffort& effort) {
  const Problem& problem = search.problem();
  if (search.best() == nullptr) {
    const ListSchedule schedule = heft_schedule(problem, {});
    if (!search.evaluate(schedule.placement(), schedule.order())) return ExactEnd::kCutShort;
    if (!try_single_devices(search)) return ExactEnd::kCutShort;
  }
  if (search.spent()) return ExactEnd::kCutShort;
  const Picoseconds lower_ps = lower_bounds(search).best_ps();
  search.observer().tell(EventLevel::kInfo, "branch-and-bound", [&] {
    return fmt::format("begins with {:.6g} s and the bound {:.6g} s",
                       to_seconds(search.best_score().step_ps), to_seconds(lower_ps));
  });
  ExactEnd end = ExactEnd::kCutShort;
  if (search.best_score().fits() && search.best_score().step_ps <= lower_ps) {
    end = ExactEnd::kProven;
    search.observer().tell(EventLevel::kInfo, "branch-and-bound",
                           [] { return "ends at once: the best is proven optimal"; });
  } else if (search.searches_orders()) {
    end = search_schedules(search, effort.most_nodes, lower_ps);
  }
  if (end == ExactEnd::kCutShort && !search.spent()) {
    end = search_placements(search, effort, lower_ps);
  }
  if (end == ExactEnd::kProven) search.claim_optimal();
  return end;
}

}  // namespace placer
