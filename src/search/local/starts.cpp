#include "search/local/starts.hpp"

#include <algorithm>
#include <utility>

#include "search/core/plain_placements.hpp"
#include "search/groups/group_memory.hpp"
#include "search/groups/topological_groups.hpp"
#include "search/lists/greedy_placement.hpp"
#include "search/lists/rules.hpp"

namespace placer {
namespace {

Placement filled(const Problem& problem, std::span<const GroupId> groups,
                 std::span<const DeviceId> devices) {
  GreedyPlacement placement(problem, bytes_of_groups(problem, &GroupMemory::at_most_bytes));
  auto at = devices.begin();
  for (const GroupId group : groups) {
    const auto roomy = std::find_if(at, devices.end(),
                                    [&](DeviceId device) { return placement.fits(group, device); });
    const bool found = roomy != devices.end();
    placement.put(group, found ? *roomy : placement.candidates(group).front());
    if (found && problem.groups().is_allowed(group, *at)) at = roomy;
  }
  return placement.placement();
}

/// One device from the first group on, the next from the last, and so on.
Placement filled_from_both_ends(const Problem& problem, std::span<const GroupId> groups,
                                std::span<const DeviceId> devices) {
  GreedyPlacement placement(problem, bytes_of_groups(problem, &GroupMemory::at_most_bytes));
  bool from_first = true;
  for (const DeviceId device : devices) {
    while (!groups.empty()) {
      const GroupId group = from_first ? groups.front() : groups.back();
      const bool fits = placement.fits(group, device);
      if (!fits && problem.groups().is_allowed(group, device)) break;
      placement.put(group, fits ? device : placement.candidates(group).front());
      groups = from_first ? groups.subspan(1) : groups.first(groups.size() - 1);
    }
    from_first = !from_first;
  }
  for (const GroupId group : groups) placement.put(group, placement.candidates(group).front());
  return placement.placement();
}

}  // namespace

std::vector<Placement> contiguous_fills(const Problem& problem) {
  const std::vector<DeviceId> devices = fastest_first(problem);
  std::vector<GroupId> groups = topological_groups(problem);
  std::vector<Placement> fills = {filled(problem, groups, devices),
                                  filled_from_both_ends(problem, groups, devices)};
  std::ranges::reverse(groups);
  fills.push_back(filled(problem, groups, devices));
  return fills;
}

Placement list_scheduled_placement(const Problem& problem) {
  return heft_schedule(problem, {}).placement();
}

std::optional<Start> local_search_start(Search& search) {
  if (search.start() != nullptr) return Start{*search.start(), search.start_order()};
  for (const bool contention : {false, true}) {
    const ListSchedule schedule = heft_schedule(search.problem(), {.contention = contention});
    if (!search.evaluate(schedule.placement(), schedule.order())) return std::nullopt;
  }
  if (!try_single_devices(search) || search.spent()) return std::nullopt;
  return Start{search.own_best()->placement, search.own_best()->order};
}

}  // namespace placer
