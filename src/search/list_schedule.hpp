#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "placer/model/problem.hpp"
#include "placer/sim/schedule.hpp"
#include "search/mean_costs.hpp"

namespace placer {

/// Length of the longest path from the op's start to the end of the graph (Topcuoglu, Hariri, Wu
/// 2002).
std::vector<double> mean_upward_ranks(const Problem& problem, const MeanCosts& costs);
/// Length of the longest path from the start of the graph to the op's start.
std::vector<double> mean_downward_ranks(const Problem& problem, const MeanCosts& costs);
/// By larger upward rank, then program order; a topological order.
std::vector<OpId> by_upward_rank(const Problem& problem, const std::vector<double>& ranks);

/// What each group holds on its device for the whole step: parameters and kept outputs.
std::vector<std::int64_t> static_bytes(const Problem& problem);

/// When one slot of a device is busy.
class Timeline {
 public:
  /// The earliest start from `ready_ps` on: in an idle stretch that is long enough or at the end.
  Picoseconds first_fit(Picoseconds ready_ps, Picoseconds duration_ps) const;
  Picoseconds end_ps() const { return busy_.empty() ? 0 : busy_.back().end_ps; }
  /// Idle until now. What takes no time still keeps others from running across its instant.
  void occupy(Picoseconds start_ps, Picoseconds duration_ps);

 private:
  struct Stretch {
    Picoseconds begin_ps, end_ps;
  };
  std::vector<Stretch> busy_;  // in order, never touching
};

/// A schedule without contention that grows op by op in a topological order. The first op of a
/// group fixes the group's device.
class ListSchedule {
 public:
  struct Rules {
    bool insertion = true;  // fill idle stretches
    bool memory = true;     // keep to the memory that static bytes leave
  };
  /// Where and when an op could run.
  struct Spot {
    DeviceId device;
    std::size_t slot = 0;
    Picoseconds start_ps = 0, end_ps = 0;
  };

  ListSchedule(const Problem& problem, Rules rules);

  /// The group's device once it has one. Before that the allowed devices with room for its static
  /// bytes or, where there is none, the one with the most room left.
  std::vector<DeviceId> candidates(GroupId group) const;
  bool is_fixed(GroupId group) const { return fixed_[group.index()].has_value(); }
  bool has_room(GroupId group, DeviceId device) const;
  /// The earliest finish of `op` on `device`; its producers have been placed.
  Spot earliest(OpId op, DeviceId device) const;
  /// The earliest finish over the group's candidates; ties go to the lower device.
  Spot earliest(OpId op) const;
  void place(OpId op, const Spot& spot);
  /// The group's ops may only go to `device` from now on.
  void fix(GroupId group, DeviceId device);

  /// By op id; of the ops placed so far.
  const std::vector<OpRun>& runs() const { return runs_; }
  /// End of the last op.
  Picoseconds makespan_ps() const { return makespan_ps_; }
  /// Every group has a device.
  Placement placement() const;
  /// All ops by start time, ties as they were placed.
  OpOrder order() const;

 private:
  Picoseconds ready_ps(OpId op, DeviceId device) const;
  std::int64_t room(DeviceId device) const;

  const Problem* problem_;
  Rules rules_;
  std::vector<std::int64_t> static_bytes_;      // by group
  std::vector<std::int64_t> held_bytes_;        // by device
  std::vector<std::vector<Timeline>> slots_;    // by device; those ever used and no others
  std::vector<std::optional<DeviceId>> fixed_;  // by group
  std::vector<OpRun> runs_;
  OpOrder placed_;
  Picoseconds makespan_ps_ = 0;
};

/// HEFT: ops by upward rank, each to the device where it finishes first (Topcuoglu, Hariri, Wu
/// 2002).
ListSchedule heft_schedule(const Problem& problem, ListSchedule::Rules rules);

}  // namespace placer
