#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "placer/model/problem.hpp"
#include "placer/sim/schedule.hpp"
#include "search/lists/occupancy.hpp"
#include "search/lists/timeline.hpp"

namespace placer {

/// What each group holds on its device for the whole step: parameters and kept outputs.
std::vector<std::int64_t> static_bytes(const Problem& problem);
/// The most that each group could hold: parameters, all outputs at once and the largest temporary.
std::vector<std::int64_t> most_bytes(const Problem& problem);

/// A schedule that grows op by op in a topological order. The first op of a group fixes the group's
/// device.
class ListSchedule {
 public:
  struct Rules {
    bool insertion = true;     // fill idle stretches
    bool memory = true;        // keep to each device's memory
    bool activations = false;  // where `most_bytes` can be kept to, instead of `static_bytes`
    bool fast_only = false;    // `fast_devices` as long as they have room
    bool contention = false;   // transfers wait for their channels, in the order of the list
  };
  /// Where and when an op could run.
  struct Spot {
    DeviceId device;
    std::size_t slot = 0;
    Picoseconds start_ps = 0, end_ps = 0;
  };
  /// What `place` changed.
  struct Step;

  ListSchedule(const Problem& problem, Rules rules);

  const Problem& problem() const { return *problem_; }
  const Rules& rules() const { return rules_; }

  /// The group's device once it has one. Before that the allowed devices with room for its bytes,
  /// with `fast_only` the fast ones of them if there are any; or, where none has room, the one with
  /// the most left. Until the next call.
  std::span<const DeviceId> candidates(GroupId group);
  bool is_fixed(GroupId group) const { return fixed_[group.index()] != 0; }
  /// Of a fixed group.
  DeviceId device_of(GroupId group) const { return devices_[group.index()]; }
  bool has_room(GroupId group, DeviceId device) const;
  /// Whether some device holds more than its memory.
  bool overflows() const;

  /// The earliest finish of `op` on `device`; producers that have not been placed are ignored.
  Spot earliest(OpId op, DeviceId device);
  /// The earliest finish over the group's candidates; ties go to the lower device.
  Spot earliest(OpId op);
  /// `earliest` in two parts, for several devices: first the arrivals of an op's inputs.
  void look_at(OpId op);
  Spot spot(DeviceId device);
  /// By device, of the inputs of the op looked at, without waiting for channels.
  std::span<const Picoseconds> ready_ps() const { return ready_ps_; }
  /// For an op whose inputs are on `device` at `ready_ps`.
  Spot spot(OpId op, DeviceId device, Picoseconds ready_ps) const;
  /// From when on a slot of the device stays idle.
  Picoseconds idle_ps(DeviceId device) const;

  void place(OpId op, const Spot& spot);
  /// The same, to be taken back, the last one first.
  Step try_place(OpId op, const Spot& spot);
  void take_back(const Step& step);
  /// The group's ops may only go to `device` from now on.
  void fix(GroupId group, DeviceId device);

  /// By op id; of the ops placed so far.
  const std::vector<OpRun>& runs() const { return runs_; }
  /// End of the last op.
  Picoseconds makespan_ps() const { return makespan_ps_; }
  /// Every group has a device.
  Placement placement() const { return {devices_}; }
  /// All ops by start time, what takes no time first, other ties as they were placed.
  OpOrder order() const;
  /// What counts as held by each group.
  const std::vector<std::int64_t>& group_bytes() const { return group_bytes_; }

 private:
  std::int64_t room(DeviceId device) const;
  Picoseconds arrival_ps(DeviceId device);
  const OpRun& producer_run(TensorId tensor) const {
    return runs_[problem_->graph().tensor(tensor).producer.index()];
  }

  const Problem* problem_;
  Rules rules_;
  std::vector<std::int64_t> group_bytes_;     // by group
  std::vector<std::int64_t> held_bytes_;      // by device
  bool tight_ = false;                        // not every group fits everywhere whatever happens
  std::vector<std::vector<Timeline>> slots_;  // by device; those ever used and no others
  std::vector<char> fixed_;                   // by group
  std::vector<DeviceId> devices_;             // by group
  std::vector<OpRun> runs_;                   // an end below 0: not placed
  OpOrder placed_;
  Picoseconds makespan_ps_ = 0;

  std::vector<char> fast_;  // by device
  std::vector<DeviceId> roomy_;
  OpId op_;                             // looked at
  std::vector<TensorId> inputs_;        // of it, that have been placed
  std::vector<Picoseconds> ready_ps_;   // by device
  std::optional<Occupancy> transfers_;  // where they wait for their channels
};

struct ListSchedule::Step {
  OpId op;
  Spot spot;
  Timeline::Change change;
  bool fixed = false, new_slot = false;
  Picoseconds makespan_ps = 0;
  Occupancy::Mark transfers{};
};

}  // namespace placer
