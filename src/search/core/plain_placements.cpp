#include "search/core/plain_placements.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace placer {

Placement random_placement(const Problem& problem, Rng& rng) {
  Placement placement;
  for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
    placement.devices.push_back(rng.pick(problem.groups().allowed(group)));
  }
  return placement;
}

void begin_with_single_devices(Search& search) {
  if (!search.begins_with_single_devices()) return;
  search.count_as_samples(false);
  try_single_devices(search);
  search.count_as_samples(true);
}

Placement fastest_devices(const Problem& problem) {
  Placement placement;
  for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
    placement.devices.push_back(*std::ranges::min_element(
        problem.groups().allowed(group), std::less<>(),
        [&](DeviceId device) { return problem.group_ps(group, device); }));
  }
  return placement;
}

std::optional<Placement> try_single_devices(Search& search) {
  const Problem& problem = search.problem();
  std::vector<Placement> starts;
  for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
    if (problem.first_identical(device) != device) continue;
    if (std::optional<Placement> placement = problem.all_on(device)) {
      starts.push_back(std::move(*placement));
    }
  }
  if (starts.empty()) starts.push_back(fastest_devices(problem));
  const std::vector<Score> scores = search.evaluate_all(starts);
  if (scores.empty()) return std::nullopt;
  return starts[static_cast<std::size_t>(std::ranges::min_element(scores) - scores.begin())];
}

}  // namespace placer
