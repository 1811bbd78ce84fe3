#pragma once

#include <vector>

#include "placer/model/microbatches.hpp"

namespace placer {

/// Which devices share the micro-batches of each device of a placement.
class ReplicaTeams {
 public:
  ReplicaTeams() = default;
  /// Throws Error for replicas that are used already, may not have the ops, or get no micro-batch.
  ReplicaTeams(const Problem& problem, const Placement& placement, const MicroBatches& batches);

  /// The device and its replicas.
  const std::vector<DeviceId>& of(DeviceId device) const { return teams_[device.index()]; }

 private:
  std::vector<std::vector<DeviceId>> teams_;  // by device
};

/// A step of several micro-batches, while it is written.
struct UnrolledStep {
  std::vector<Op> ops;
  std::vector<Tensor> tensors;
  std::vector<GroupId> group_of;  // by op
  Placement placement;
  Sequences sequences;
};

/// Appends to the sequence of each device of the team an op in which they sum gradients for so many
/// seconds, all from when the last of them has come so far.
void add_ring(const Topology& topology, const std::vector<DeviceId>& team, double seconds,
              UnrolledStep& step);

}  // namespace placer
