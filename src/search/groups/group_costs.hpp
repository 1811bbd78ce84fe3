#pragma once

#include <vector>

#include "placer/model/problem.hpp"

namespace placer {

/// The time of the group's ops, one after another, on the fastest device where it may be.
Picoseconds least_group_ps(const Problem& problem, GroupId group);

/// What it costs a group to be on a device besides when its first op ends, in ps, while groups get
/// their devices one by one.
class GroupCosts {
 public:
  /// With `promises`, the work that the groups on a device still have to do there counts as well.
  GroupCosts(const Problem& problem, bool promises);

  /// The cost of `device` for the group of `op`, which has no device yet.
  double cost_ps(OpId op, DeviceId device) const;
  /// Has to be called for every group once, when it gets its device. `placed` has to be called for
  /// every op that is placed.
  void fixed(GroupId group, DeviceId device);
  void placed(OpId op, DeviceId device);

 private:
  const Problem& problem_;
  bool promises_;
  std::vector<Picoseconds> work_ps_;       // group * devices + device: of all of its ops
  std::vector<Picoseconds> transfers_ps_;  // the same: from and to groups with a device
  std::vector<Picoseconds> promised_ps_;   // by device
  std::vector<char> fixed_;                // by group
};

}  // namespace placer
