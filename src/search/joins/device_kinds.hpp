#pragma once

#include <cstdint>
#include <vector>

#include "placer/model/problem.hpp"

namespace placer {

/// Where the values of an op on each device stand in a table: devices for which they are equal
/// share a column.
struct DeviceColumns {
  std::size_t count = 0;
  std::vector<std::uint32_t> of;  // by device

  std::size_t at(OpId op, DeviceId device) const { return op.index() * count + of[device.index()]; }
};

/// Which devices are identical, and where the neighbours of an op on one of them may be.
class DeviceKinds {
 public:
  explicit DeviceKinds(const Problem& problem);

  /// One column for each kind.
  const DeviceColumns& columns() const { return columns_; }
  /// The first device of each kind, in id order.
  const std::vector<DeviceId>& firsts() const { return firsts_; }
  /// The first device of a kind, and one other of each kind, in id order.
  std::vector<DeviceId> places(DeviceId first) const;
  /// Whether looking at all pairs of kinds for so many things would take many seconds.
  bool are_too_many(std::size_t things) const;

 private:
  DeviceColumns columns_;
  std::vector<DeviceId> firsts_, seconds_;  // by kind; the first again where it is alone
};

}  // namespace placer
