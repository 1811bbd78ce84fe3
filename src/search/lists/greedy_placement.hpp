#pragma once

#include <cstdint>
#include <vector>

#include "placer/model/problem.hpp"

namespace placer {

/// How slow each device is, beside the mean over all devices where the same groups may go: 2 takes
/// twice as long. 1 where no group may go or nothing takes time.
std::vector<double> relative_slowness(const Problem& problem);

/// All devices by `relative_slowness`, then by id.
std::vector<DeviceId> fastest_first(const Problem& problem);

/// How important each group is, from 0 to 1: the longest path through each of its ops over the
/// longest path of the graph, the mean over its ops. A path is as long as its ops take on average
/// over their devices; transfers do not count.
std::vector<double> path_importance(const Problem& problem);

/// A placement that is made group by group.
class GreedyPlacement {
 public:
  /// `demand_bytes` says for each group how many bytes it needs on its device.
  GreedyPlacement(const Problem& problem, std::vector<std::int64_t> demand_bytes);

  bool is_placed(GroupId group) const { return placed_[group.index()] != 0; }
  /// The devices where the group may go and finds room, in id order. Where no device has room, the
  /// allowed one with the most.
  std::vector<DeviceId> candidates(GroupId group) const;
  bool fits(GroupId group, DeviceId device) const;
  /// How long all groups that are on `device` take there.
  Picoseconds work_ps(DeviceId device) const { return work_ps_[device.index()]; }
  /// The share of the device's memory that is taken, at most 1; 1 for a device without memory.
  double memory_share(DeviceId device) const;
  /// How long the transfers take, without contention, that are added to those of the placed groups
  /// if `group` goes to `device`. Each tensor is sent once to each device that does not get it
  /// already.
  Picoseconds added_transfers_ps(GroupId group, DeviceId device) const;

  /// Places `group`, which has no device yet, on `device`, where it may go. Throws Stopped when the
  /// problem's deadline has passed.
  void put(GroupId group, DeviceId device);
  const Placement& placement() const { return placement_; }

 private:
  const Problem& problem_;
  std::vector<std::int64_t> demand_bytes_;      // by group
  std::vector<std::int64_t> room_bytes_;        // by device
  std::vector<Picoseconds> work_ps_;            // by device
  std::vector<char> placed_;                    // by group
  std::vector<std::vector<DeviceId>> readers_;  // by tensor: where placed consumers are
  Placement placement_;
  Watch watch_;
};

}  // namespace placer
