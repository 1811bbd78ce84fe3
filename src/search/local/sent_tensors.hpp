#pragma once

#include <cstdint>
#include <vector>

#include "placer/model/problem.hpp"

namespace placer {

/// The time of all transfers of a placement, without waiting, in ps: each tensor goes once to each
/// other device that consumes it.
class SentTensors {
 public:
  SentTensors(const Problem& problem, const Placement& placement);

  /// Moves the group, which is on `from`, and returns how much longer all transfers take after
  /// that.
  std::int64_t move(GroupId group, DeviceId from, DeviceId to);

 private:
  std::uint32_t& receivers(TensorId tensor, DeviceId device) {
    return receivers_[tensor.index() * devices_ + device.index()];
  }

  const Problem& problem_;
  std::size_t devices_;
  std::vector<DeviceId> senders_;         // by tensor
  std::vector<std::uint32_t> receivers_;  // tensor * devices + device: groups that consume it there
  std::vector<std::vector<TensorId>> produced_, consumed_;  // by group, from or by other groups
};

}  // namespace placer
