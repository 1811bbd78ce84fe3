#pragma once

#include <vector>

#include "placer/model/problem.hpp"

namespace placer {

/// What a device costs a group besides the finish of its first op, in ps, while groups get their
/// devices one by one.
class GroupCosts {
 public:
  /// With `promises`, work that is yet to come on a device counts too.
  GroupCosts(const Problem& problem, bool promises);

  /// Of `op`'s group, which has no device yet.
  double cost_ps(OpId op, DeviceId device) const;
  /// To be told of every group once, when it gets its device, and of every op that is placed.
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
