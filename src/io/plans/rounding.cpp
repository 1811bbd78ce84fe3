#include <algorithm>
#include <map>
#include <set>

#include "io/plans/target.hpp"

namespace placer {
namespace {

/// By unit and device: how long its ops take that are there, one picosecond more each.
using Shares = std::vector<std::map<DeviceId, double>>;

DeviceId largest_share(const std::map<DeviceId, double>& shares) {
  return std::ranges::max_element(shares, {}, [](const auto& each) { return each.second; })->first;
}

/// As many of `staged` units for each device as it has, in the order of the devices' mean places.
std::vector<DeviceId> in_stages(const PlanTarget& target, const Topology& devices,
                                const std::vector<std::size_t>& staged,
                                std::vector<DeviceId> by_unit) {
  std::map<DeviceId, std::pair<double, std::size_t>> places;  // sum and count
  for (const std::size_t unit : staged) {
    auto& [sum, count] = places[by_unit[unit]];
    sum += static_cast<double>(unit);
    ++count;
  }
  std::vector<DeviceId> order;
  for (const auto& [device, place] : places) order.push_back(device);
  const bool is_given = target.cpus == PlanTarget::Cpus::kFirst;
  std::ranges::stable_sort(order, {}, [&](DeviceId device) {
    if (is_given)
      return is_cpu(devices.device(device)) ? -1.0 : static_cast<double>(device.index());
    return places[device].first / static_cast<double>(places[device].second);
  });
  auto next = staged.begin();
  for (const DeviceId device : order) {
    for (std::size_t i = 0; i < places[device].second; ++i) by_unit[*next++] = device;
  }
  return by_unit;
}

}  // namespace

Placement rounded_placement(const PlanTarget& target, const Problem& problem,
                            const std::vector<DeviceId>& devices) {
  const Groups& groups = problem.groups();
  std::vector<std::size_t> unit_of_group(groups.size());
  std::size_t count = groups.size();
  std::vector<std::size_t> staged;  // units that have to follow each other
  if (target.units) {
    const ModelUnits units = units_for(target, problem.graph());
    count = units.units.size();
    for (std::size_t unit = 0; unit < count; ++unit) {
      if (!holds_experts(units.units[unit])) staged.push_back(unit);
    }
    for (const OpId op : IdRange<OpId>(problem.op_count())) {
      unit_of_group[groups.of(op).index()] = units.of[op.index()];
    }
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      unit_of_group[i] = i;
      staged.push_back(i);
    }
  }
  Shares shares(count);
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    const GroupId group = groups.of(op);
    const auto& allowed = groups.allowed(group);
    const DeviceId wanted = devices[op.index()];
    const DeviceId device = std::ranges::binary_search(allowed, wanted) ? wanted : allowed.front();
    shares[unit_of_group[group.index()]][device] +=
        1 + static_cast<double>(problem.costs().op_ps(op, device));
  }
  std::vector<DeviceId> by_unit;
  for (const auto& each : shares) by_unit.push_back(largest_share(each));
  if (target.in_stages) {
    by_unit = in_stages(target, problem.topology(), staged, std::move(by_unit));
  }
  Placement placement{std::vector<DeviceId>(groups.size())};
  for (const GroupId group : IdRange<GroupId>(groups.size())) {
    placement[group] = by_unit[unit_of_group[group.index()]];
  }
  return placement;
}

}  // namespace placer
