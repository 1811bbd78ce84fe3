#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "placer/base/ids.hpp"
#include "placer/model/graph.hpp"
#include "placer/model/topology.hpp"

namespace placer {

/// Where each op may be placed: different sets of devices, and which of them is each op's.
struct AllowedDevices {
  std::vector<std::size_t> set_of;          // by op
  std::vector<std::vector<DeviceId>> sets;  // in id order
};

/// Which ops move together, and where each group may go: the variables of a placement.
class Groups {
 public:
  /// `group_of[op]` is 0 .. count-1, none empty. A group may go where all of its ops may. Throws
  /// Error for a group that may go nowhere.
  Groups(const Graph& graph, std::vector<GroupId> group_of, const AllowedDevices& allowed);

  std::size_t size() const { return op_offsets_.size() - 1; }
  GroupId of(OpId op) const { return group_of_[op.index()]; }
  /// The ops of a group, in id order.
  std::span<const OpId> ops(GroupId group) const {
    return {ops_.data() + op_offsets_[group.index()], ops_.data() + op_offsets_[group.index() + 1]};
  }
  /// The devices where a group may go, in id order; at least one.
  std::span<const DeviceId> allowed(GroupId group) const {
    const std::size_t set = allowed_set_[group.index()];
    return allowed_sets_[set];
  }
  /// Groups with equal numbers may go to the same devices.
  std::size_t allowed_set(GroupId group) const { return allowed_set_[group.index()]; }
  const std::vector<std::vector<DeviceId>>& allowed_sets() const { return allowed_sets_; }
  bool is_allowed(GroupId group, DeviceId device) const;
  /// Where each op may go with its group.
  AllowedDevices allowed_by_op() const;

 private:
  std::vector<DeviceId> common_devices(const Graph& graph, GroupId group,
                                       const AllowedDevices& allowed) const;

  std::vector<GroupId> group_of_;
  std::vector<std::size_t> op_offsets_;
  std::vector<OpId> ops_;
  std::vector<std::size_t> allowed_set_;
  std::vector<std::vector<DeviceId>> allowed_sets_;
};

/// From each op's own `devices`. Throws Error for an op none of whose names or types is in the
/// topology.
AllowedDevices allowed_devices(const Graph& graph, const Topology& topology);

/// The colocation groups of the file, numbered by first op; ops without one are alone.
std::vector<GroupId> colocation_groups(const Graph& graph);

}  // namespace placer
