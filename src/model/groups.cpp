#include "placer/model/groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>

#include "placer/base/errors.hpp"
#include "placer/base/text.hpp"

namespace placer {

Groups::Groups(const Graph& graph, std::vector<GroupId> group_of, const AllowedDevices& allowed)
    : group_of_(std::move(group_of)) {
  std::size_t count = 0;
  for (const GroupId group : group_of_) count = std::max(count, group.index() + 1);
  op_offsets_.assign(count + 1, 0);
  for (const GroupId group : group_of_) ++op_offsets_[group.index() + 1];
  for (std::size_t g = 0; g < count; ++g) op_offsets_[g + 1] += op_offsets_[g];
  ops_.resize(group_of_.size());
  std::vector<std::size_t> next(op_offsets_.begin(), op_offsets_.end() - 1);
  for (const OpId op : IdRange<OpId>(group_of_.size())) ops_[next[of(op).index()]++] = op;

  std::map<std::set<std::size_t>, std::size_t> known_by_ops;  // sets of the group's ops
  std::map<std::vector<DeviceId>, std::size_t> known_sets;
  for (const GroupId group : IdRange<GroupId>(count)) {
    std::set<std::size_t> of_ops;
    for (const OpId op : ops(group)) of_ops.insert(allowed.set_of[op.index()]);
    const auto [known, is_new] = known_by_ops.emplace(std::move(of_ops), 0);
    if (is_new) {
      const auto [at, is_new_set] =
          known_sets.emplace(common_devices(graph, group, allowed), allowed_sets_.size());
      if (is_new_set) allowed_sets_.push_back(at->first);
      known->second = at->second;
    }
    allowed_set_.push_back(known->second);
  }
}

std::vector<DeviceId> Groups::common_devices(const Graph& graph, GroupId group,
                                             const AllowedDevices& allowed) const {
  const auto own = [&](OpId op) -> const std::vector<DeviceId>& {
    return allowed.sets[allowed.set_of[op.index()]];
  };
  std::set<std::size_t> met;
  std::vector<DeviceId> devices = own(ops(group).front());
  for (const OpId op : ops(group)) {
    if (!met.insert(allowed.set_of[op.index()]).second) continue;
    std::erase_if(devices, [&](DeviceId id) { return !std::ranges::binary_search(own(op), id); });
  }
  if (!devices.empty()) return devices;
  const Op& first = graph.op(ops(group).front());
  throw Error(
      fmt::format("ops: expected a device that all {} ops of group '{}' may use, found none "
                  "(first op '{}')",
                  ops(group).size(), shown_name(first.group), shown_name(first.name)));
}

bool Groups::is_allowed(GroupId group, DeviceId device) const {
  return std::ranges::binary_search(allowed(group), device);
}

AllowedDevices Groups::allowed_by_op() const {
  AllowedDevices allowed{{}, allowed_sets_};
  for (const GroupId group : group_of_) allowed.set_of.push_back(allowed_set(group));
  return allowed;
}

AllowedDevices allowed_devices(const Graph& graph, const Topology& topology) {
  AllowedDevices allowed;
  std::map<std::vector<std::string>, std::size_t> known;  // by patterns
  for (std::size_t i = 0; i < graph.ops().size(); ++i) {
    const std::vector<std::string>& patterns = graph.ops()[i].devices;
    const auto [at, is_new] = known.emplace(patterns, allowed.sets.size());
    allowed.set_of.push_back(at->second);
    if (!is_new) continue;
    std::vector<DeviceId> devices;
    for (const DeviceId id : IdRange<DeviceId>(topology.devices().size())) {
      const auto means = [&](const std::string& pattern) {
        return matches(pattern, topology.device(id));
      };
      if (patterns.empty() || std::ranges::any_of(patterns, means)) devices.push_back(id);
    }
    if (devices.empty()) {
      throw Error(
          fmt::format("ops[{}].devices: expected a name or type of the device spec, found {}", i,
                      join(patterns)));
    }
    allowed.sets.push_back(std::move(devices));
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
