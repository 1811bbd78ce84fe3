#pragma once

#include <cstdint>
#include <vector>

#include "placer/model/problem.hpp"

namespace placer {

/// What devices hold at most once a pipeline is under way, as sums that change with each move: the
/// parameters of their ops, and every tensor that is kept, goes to another device, comes from one
/// or waits for an op of the backward pass. Beside that, the most that a single op needs while it
/// runs: its temporary bytes and those of its outputs that do not stay anyway. Where ops have more
/// than 4,096 different needs, these are rounded up to a 4,096th of the largest.
class StaticMemory {
 public:
  explicit StaticMemory(const Problem& problem);

  void clear();
  /// Adds an op on `device`, or with `sign` -1 takes it away.
  void count_op(OpId op, DeviceId device, int sign);
  /// The same for a tensor that is made on `device`; `leaves`: another device gets it, too.
  void count_made(TensorId tensor, DeviceId device, bool leaves, int sign) {
    if (leaves || stays_[tensor.index()] != 0) count_received(tensor, device, sign);
  }
  void count_received(TensorId tensor, DeviceId device, int sign) {
    held_[device.index()] += sign * tensor_bytes_[tensor.index()];
  }

  /// Whether the tensor is held where it is made even if no other device gets it.
  bool stays(TensorId tensor) const { return stays_[tensor.index()] != 0; }
  /// What the op needs while it runs, beside what is held.
  std::int64_t need_bytes(OpId op) const { return needs_[need_of_[op.index()]]; }

  std::int64_t bytes(DeviceId device) const;
  /// Over all devices, above their memories.
  std::int64_t overflow_bytes() const;

 private:
  static constexpr std::size_t kMostNeeds = 4'096;

  void number_needs(const Problem& problem);

  std::vector<std::int64_t> capacity_, held_;  // by device
  std::vector<std::int64_t> params_, tensor_bytes_;
  std::vector<char> stays_;             // by tensor: held where it is made
  std::vector<std::int64_t> needs_;     // of single ops: distinct, falling, the last one 0
  std::vector<std::uint32_t> need_of_;  // by op
  std::vector<std::uint32_t> counts_;   // of ops: device * needs + need
  std::vector<std::size_t> largest_;    // by device: the first need that some op there has
};

}  // namespace placer
