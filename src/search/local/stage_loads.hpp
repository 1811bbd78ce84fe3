#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "placer/model/problem.hpp"

namespace placer {

/// Each device's work in the bands of a step. Ops are lined up by depth (hops of the longest path
/// to them), then in program order, and cut into as many bands of equal work, and once more
/// half a band later. What a device has above a band's ideal, the time that the band would take if
/// all devices could share every op of it, is its excess there; the square of that over the ideal
/// is what it costs. In ps; of several slots each takes its share.
class StageLoads {
 public:
  /// `bands` is at least 1. No group has a device yet.
  StageLoads(const Problem& problem, std::size_t bands);

  /// Puts the group on `device` and returns how much that costs, in ps. The next function takes it
  /// off again.
  double add(GroupId group, DeviceId device) { return shift(group, device, 1); }
  double remove(GroupId group, DeviceId device) { return shift(group, device, -1); }

  /// All groups by their first ops in the line.
  const std::vector<GroupId>& groups_in_line() const { return groups_; }
  double ideal_step_ps() const { return ideal_step_ps_; }

 private:
  struct Slice {  // of a group: its ops in one band
    std::size_t band, first_work;
  };
  using Cut = std::array<std::size_t, 2>;  // the bands of an op
  std::vector<Cut> cut(const Problem& problem, std::size_t bands);
  void slice(const Problem& problem, const std::vector<Cut>& cuts);
  double shift(GroupId group, DeviceId device, std::int64_t sign);
  double cost(std::size_t band, std::int64_t load_ps) const;

  std::size_t devices_;
  double ideal_step_ps_ = 0;
  std::vector<GroupId> groups_;
  std::vector<double> ideals_ps_;        // by band
  std::vector<std::int64_t> loads_ps_;   // band * devices + device
  std::vector<std::size_t> offsets_{0};  // of groups in slices_
  std::vector<Slice> slices_;
  std::vector<std::int64_t> works_ps_;  // a slice's, by device
};

}  // namespace placer
