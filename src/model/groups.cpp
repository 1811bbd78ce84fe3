#include "placer/model/groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>

#include "placer/base/errors.hpp"

namespace placer {

Groups::Groups(const Graph& graph, std::vector<GroupId> group_of, const std::vector<char>& allowed,
               std::size_t device_count)
    : group_of_(std::move(group_of)) {
  std::size_t count = 0;
  for (const GroupId group : group_of_) count = std::max(count, group.index() + 1);
  op_offsets_.assign(count + 1, 0);
  for (const GroupId group : group_of_) ++op_offsets_[group.index() + 1];
  for (std::size_t g = 0; g < count; ++g) op_offsets_[g + 1] += op_offsets_[g];
  ops_.resize(group_of_.size());
  std::vector<std::size_t> next(op_offsets_.begin(), op_offsets_.end() - 1);
  for (const OpId op : IdRange<OpId>(group_of_.size())) ops_[next[of(op).index()]++] = op;

  std::map<std::vector<DeviceId>, std::size_t> known_sets;
  for (const GroupId group : IdRange<GroupId>(count)) {
    std::vector<DeviceId> devices;
    for (const DeviceId device : IdRange<DeviceId>(device_count)) {
      const auto may_go = [&](OpId op) {
        return allowed[op.index() * device_count + device.index()] != 0;
      };
      if (std::ranges::all_of(ops(group), may_go)) devices.push_back(device);
    }
    if (devices.empty()) {
      const Op& first = graph.op(ops(group).front());
      throw Error(
          fmt::format("ops: expected a device that all {} ops of group '{}' may use, found none "
                      "(first op '{}')",
                      ops(group).size(), first.group, first.name));
    }
    const auto [at, is_new] = known_sets.emplace(std::move(devices), allowed_sets_.size());
    if (is_new) allowed_sets_.push_back(at->first);
    allowed_set_.push_back(at->second);
  }
}

bool Groups::is_allowed(GroupId group, DeviceId device) const {
  return std::ranges::binary_search(allowed(group), device);
}

std::vector<char> allowed_devices(const Graph& graph, const Topology& topology) {
  const std::size_t device_count = topology.devices().size();
  std::vector<char> allowed(graph.ops().size() * device_count, 1);
  for (std::size_t i = 0; i < graph.ops().size(); ++i) {
    const std::vector<std::string>& patterns = graph.ops()[i].devices;
    if (patterns.empty()) continue;
    bool any = false;
    for (std::size_t d = 0; d < device_count; ++d) {
      const auto means = [&](const std::string& pattern) {
        return matches(pattern, topology.devices()[d]);
      };
      allowed[i * device_count + d] = std::ranges::any_of(patterns, means) ? 1 : 0;
      any = any || allowed[i * device_count + d] != 0;
    }
    if (!any) {
      throw Error(
          fmt::format("ops[{}].devices: expected a name or type of the device spec, found {}", i,
                      join(patterns)));
    }
  }
  return allowed;
}

std::vector<GroupId> colocation_groups(const Graph& graph) {
  std::vector<GroupId> group_of;
  group_of.reserve(graph.ops().size());
  std::unordered_map<std::string_view, GroupId> known;
  std::size_t count = 0;
  for (const Op& op : graph.ops()) {
    if (op.group.empty()) {
      group_of.emplace_back(count++);
      continue;
    }
    const auto [at, is_new] = known.emplace(op.group, GroupId(count));
    if (is_new) ++count;
    group_of.push_back(at->second);
  }
  return group_of;
}

}  // namespace placer
