#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "placer/model/problem.hpp"

namespace placer {

/// What memory alone says of placements that fit: which devices each group could go to if nothing
/// else were there, and what it would hold throughout.
class MemoryFit {
 public:
  explicit MemoryFit(const Problem& problem);

  /// Why nothing fits, in one line; "" where that is not known.
  const std::string& infeasible() const { return infeasible_; }
  /// In id order, at least one: where the group fits alone (where nothing fits: where it is
  /// allowed).
  std::span<const DeviceId> devices(GroupId group) const {
    return {devices_.data() + offsets_[group.index()],
            devices_.data() + offsets_[group.index() + 1]};
  }
  bool may_go(GroupId group, DeviceId device) const {
    return may_go_[group.index() * device_count_ + device.index()] != 0;
  }
  /// Parameters, and kept outputs of ops that take time: held together at the end of the step.
  std::int64_t held_bytes(GroupId group, DeviceId device) const {
    return held_bytes_[group.index() * device_count_ + device.index()];
  }
  /// True where some device may be unable to hold all the groups that could go there.
  bool may_bind() const { return may_bind_; }

 private:
  void measure(const Problem& problem);
  void choose_devices(const Problem& problem);
  void check_total(const Problem& problem);

  std::size_t device_count_;
  std::vector<std::int64_t> held_bytes_;   // group * devices + device
  std::vector<std::int64_t> alone_bytes_;  // at the least peak of a device that holds the group
  std::vector<char> may_go_;
  std::vector<std::size_t> offsets_{0};
  std::vector<DeviceId> devices_;
  bool may_bind_ = false;
  std::string infeasible_;
};

}  // namespace placer
