#include "search/core/plain_placements.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "search/groups/pipeline_units.hpp"

namespace placer {

namespace {

/// Stages at random places of one order of the groups, on devices in a random order unless the goal
/// has one. Empty where the devices cannot take all groups in that order.
std::optional<Placement> random_pipeline(const Problem& problem, Rng& rng) {
  std::vector<DeviceId> devices = problem.goal().stages;
  if (devices.empty()) {
    for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
      const auto place = static_cast<std::ptrdiff_t>(rng.below(devices.size() + 1));
      devices.insert(devices.begin() + place, device);
    }
  }
  const std::vector<PipelineUnit> units = pipeline_units(problem);
  std::vector<std::size_t> begins = {0};
  while (begins.size() < devices.size()) begins.push_back(rng.below(units.size() + 1));
  std::ranges::sort(begins);
  Placement placement{std::vector<DeviceId>(problem.groups().size())};
  std::size_t stage = 0;
  for (std::size_t at = 0; at < units.size(); ++at) {
    const auto takes = [&](GroupId group) {
      return problem.groups().is_allowed(group, devices[stage]);
    };
    while (stage + 1 < devices.size() && begins[stage + 1] <= at) ++stage;
    while (!std::ranges::all_of(units[at].groups, takes)) {
      if (++stage == devices.size()) return std::nullopt;
    }
    for (const GroupId group : units[at].groups) placement[group] = devices[stage];
  }
  return placement;
}

}  // namespace

Placement random_placement(const Problem& problem, Rng& rng) {
  if (problem.goal().contiguity != Contiguity::kNone) {
    if (std::optional<Placement> pipeline = random_pipeline(problem, rng)) return *pipeline;
  }
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

DeviceId device_at(std::span<const DeviceId> devices, std::span<const double> shares, double draw) {
  double total = 0;
  for (const DeviceId device : devices) total += shares[device.index()];
  double left = draw * (total > 0 ? total : static_cast<double>(devices.size()));
  DeviceId picked = devices.front();
  for (const DeviceId device : devices) {
    const double share = total > 0 ? shares[device.index()] : 1;
    if (share == 0) continue;
    picked = device;
    if (left < share) break;
    left -= share;
  }
  return picked;
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

Placement answer_at_hand(const Problem& problem) {
  std::int64_t params_bytes = 0;
  for (const Op& op : problem.graph().ops()) params_bytes += op.params_bytes;
  std::optional<Placement> best;
  std::pair<bool, Picoseconds> least;  // whether it overflows, work
  for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
    if (problem.first_identical(device) != device) continue;
    std::optional<Placement> placement = problem.all_on(device);
    if (!placement) continue;
    std::pair found(params_bytes > problem.topology().device(device).memory_bytes, Picoseconds{0});
    for (const OpId op : IdRange<OpId>(problem.op_count())) {
      found.second += problem.costs().op_ps(op, device);
    }
    if (best && least <= found) continue;
    best = std::move(placement);
    least = found;
  }
  return best ? *std::move(best) : fastest_devices(problem);
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
