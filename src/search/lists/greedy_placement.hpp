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

/// By group: the longest path through it over the longest path of the graph, from 0 to 1, the mean
/// over its ops. A path is as long as its ops take on average over their devices; transfers do not
/// count.
std::vector<double> path_importance(const Problem& problem);

/// A placement that is made group by group.
class GreedyPlacement {
 public:
  /// `demand_bytes`: by group.
  GreedyPlacement(const Problem& problem, std::vector<std::int64_t> demand_bytes);

  bool is_placed(GroupId group) const { return placed_[group.index()] != 0; }
  /// Where the group may go and finds room; where there is none, the allowed device with the most.
  /// In id order.
  std::vector<DeviceId> candidates(GroupId group) const;
  bool fits(GroupId group, DeviceId device) const;
  /// The time of all that is on `device`.
  Picoseconds work_ps(DeviceId device) const { return work_ps_[device.index()]; }
  /// Share of the device's memory that is taken, at most 1; of no memory, 1.
  double memory_share(DeviceId device) const;
  /// The transfers that `group` on `device` adds to what is placed, without contention: each tensor
  /// once to each device that does not get it already.
  Picoseconds added_transfers_ps(GroupId group, DeviceId device) const;

  /// `group` has no device yet and may go to `device`.
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
};

}  // namespace placer
