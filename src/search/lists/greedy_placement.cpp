#include "search/lists/greedy_placement.hpp"

#include <algorithm>

#include "search/lists/ranks.hpp"

namespace placer {

std::vector<double> relative_slowness(const Problem& problem) {
  std::vector<double> own_ps(problem.device_count(), 0), mean_ps(problem.device_count(), 0);
  for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
    const auto allowed = problem.groups().allowed(group);
    double sum_ps = 0;
    for (const DeviceId device : allowed) {
      const auto time_ps = static_cast<double>(problem.group_ps(group, device));
      own_ps[device.index()] += time_ps;
      sum_ps += time_ps;
    }
    for (const DeviceId device : allowed) {
      mean_ps[device.index()] += sum_ps / static_cast<double>(allowed.size());
    }
  }
  std::vector<double> slowness;
  for (std::size_t d = 0; d < own_ps.size(); ++d) {
    slowness.push_back(mean_ps[d] > 0 ? own_ps[d] / mean_ps[d] : 1);
  }
  return slowness;
}

std::vector<DeviceId> fastest_first(const Problem& problem) {
  const std::vector<double> slowness = relative_slowness(problem);
  std::vector<DeviceId> devices;
  for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) devices.push_back(device);
  std::ranges::stable_sort(devices, {}, [&](DeviceId device) { return slowness[device.index()]; });
  return devices;
}

std::vector<double> path_importance(const Problem& problem) {
  MeanCosts costs = mean_costs(problem);
  std::ranges::fill(costs.tensor_ps, 0);
  const std::vector<double> up = mean_upward_ranks(problem, costs);
  const std::vector<double> down = mean_downward_ranks(problem, costs);
  const double longest_ps = *std::ranges::max_element(up);
  std::vector<double> importance;
  for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
    double sum_ps = 0;
    for (const OpId op : problem.groups().ops(group)) sum_ps += up[op.index()] + down[op.index()];
    const auto ops = static_cast<double>(problem.groups().ops(group).size());
    importance.push_back(longest_ps > 0 ? sum_ps / (ops * longest_ps) : 0);
  }
  return importance;
}

GreedyPlacement::GreedyPlacement(const Problem& problem, std::vector<std::int64_t> demand_bytes)
    : problem_(problem),
      demand_bytes_(std::move(demand_bytes)),
      work_ps_(problem.device_count(), 0),
      placed_(problem.groups().size(), 0),
      readers_(problem.graph().tensors().size()),
      placement_{std::vector<DeviceId>(problem.groups().size())},
      watch_(problem.deadline()) {
  for (const Device& device : problem.topology().devices()) {
    room_bytes_.push_back(device.memory_bytes);
  }
}

bool GreedyPlacement::fits(GroupId group, DeviceId device) const {
  return problem_.groups().is_allowed(group, device) &&
         demand_bytes_[group.index()] <= room_bytes_[device.index()];
}

std::vector<DeviceId> GreedyPlacement::candidates(GroupId group) const {
  const auto allowed = problem_.groups().allowed(group);
  std::vector<DeviceId> roomy;
  std::ranges::copy_if(allowed, std::back_inserter(roomy),
                       [&](DeviceId device) { return fits(group, device); });
  if (!roomy.empty()) return roomy;
  return {*std::ranges::max_element(allowed, {},
                                    [&](DeviceId device) { return room_bytes_[device.index()]; })};
}

double GreedyPlacement::memory_share(DeviceId device) const {
  const auto all = static_cast<double>(problem_.topology().device(device).memory_bytes);
  if (all == 0) return 1;
  return std::min(1.0, 1 - static_cast<double>(room_bytes_[device.index()]) / all);
}

void GreedyPlacement::put(GroupId group, DeviceId device) {
  watch_.check(8 * room_bytes_.size());
  placed_[group.index()] = 1;
  placement_[group] = device;
  room_bytes_[device.index()] -= demand_bytes_[group.index()];
  work_ps_[device.index()] += problem_.group_ps(group, device);
  for (const OpId op : problem_.groups().ops(group)) {
    for (const TensorId input : problem_.graph().inputs(op)) {
      std::vector<DeviceId>& readers = readers_[input.index()];
      if (std::ranges::find(readers, device) == readers.end()) readers.push_back(device);
    }
  }
}

Picoseconds GreedyPlacement::added_transfers_ps(GroupId group, DeviceId device) const {
  const CostModel& costs = problem_.costs();
  Picoseconds sum_ps = 0;
  std::vector<TensorId> taken;
  for (const OpId op : problem_.groups().ops(group)) {
    for (const TensorId output : problem_.graph().outputs(op)) {
      for (const DeviceId to : readers_[output.index()]) {
        sum_ps += costs.transfer_ps(output, device, to);
      }
    }
    for (const TensorId input : problem_.graph().inputs(op)) taken.push_back(input);
  }
  std::ranges::sort(taken);
  taken.erase(std::unique(taken.begin(), taken.end()), taken.end());
  for (const TensorId input : taken) {
    const GroupId producer = problem_.groups().of(problem_.graph().tensor(input).producer);
    const std::vector<DeviceId>& readers = readers_[input.index()];
    if (!is_placed(producer) || std::ranges::find(readers, device) != readers.end()) continue;
    sum_ps += costs.transfer_ps(input, placement_[producer], device);
  }
  return sum_ps;
}

}  // namespace placer
