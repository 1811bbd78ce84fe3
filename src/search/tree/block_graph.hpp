#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "placer/model/problem.hpp"

namespace placer {

/// A problem's ops, merged into blocks: ops of one group that wait for the same tensors and for
/// whose last all wait that wait for any, so that a device with one slot runs them as if they were
/// one op. Edges between ops of a group that say nothing new are gone.
class BlockGraph {
 public:
  using Block = std::uint32_t;  // in topological order

  /// A tensor that one block makes and another takes.
  struct Edge {
    Block other;  // at the other end
    TensorId tensor;
    friend auto operator<=>(const Edge&, const Edge&) = default;
  };

  explicit BlockGraph(const Problem& problem);

  std::size_t size() const { return groups_.size(); }
  GroupId group(Block block) const { return groups_[block]; }
  std::span<const Edge> inputs(Block block) const { return inputs_[block]; }
  std::span<const Edge> outputs(Block block) const { return outputs_[block]; }
  /// The time of all ops of the block on a device.
  Picoseconds work_ps(Block block, DeviceId device) const {
    return work_ps_[block * kinds_ + kind_[device.index()]];
  }
  /// The time from the start of its first op to the end of its last: of all where the device has
  /// one slot.
  Picoseconds path_ps(Block block, DeviceId device) const {
    return path_ps_[block * kinds_ + kind_[device.index()]];
  }

 private:
  std::size_t kinds_;
  std::vector<std::size_t> kind_;  // by device
  std::vector<GroupId> groups_;
  std::vector<std::vector<Edge>> inputs_, outputs_;
  std::vector<Picoseconds> work_ps_, path_ps_;  // block * kinds + kind
};

}  // namespace placer
