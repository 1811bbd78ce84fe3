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

/// A schedule that grows op by op in a topological order. The first op of a group fixes the group's
/// device.
class ListSchedule {
 public:
  struct Rules {
    bool insertion = true;    // fill idle stretches
    bool memory = true;       // keep to each device's memory
    double activations = 0;   // the share of what comes and goes that counts as kept, up to 1
    bool fast_only = false;   // `fast_devices` as long as they have room
    bool contention = false;  // transfers wait for their channels, in the order of the list
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

  /// Where the group may go now. A group that has a device stays there. Else these are the allowed
  /// devices with room for its bytes, with `fast_only` the fast ones among them if there are any
  /// or, where none has room, the device with the most left. Valid until the next call.
  std::span<const DeviceId> candidates(GroupId group);
  bool is_fixed(GroupId group) const { return fixed_[group.index()] != 0; }
  /// The device of a group that is fixed.
  DeviceId device_of(GroupId group) const { return devices_[group.index()]; }
  bool has_room(GroupId group, DeviceId device) const;
  /// Whether some device holds more than its memory.
  bool overflows() const;

  /// Where `op` would run on `device` to finish as early as possible. Producers that have not been
  /// placed are ignored.
  Spot earliest(OpId op, DeviceId device);
  /// Where `op` would finish first over all candidates of its group; ties go to the lower device.
  Spot earliest(OpId op);
  /// The first of two parts of `earliest`, for when several devices are asked about: finds the
  /// arrivals of an op's inputs. The second is `spot`.
  void look_at(OpId op);
  Spot spot(DeviceId device);
  /// When the inputs of the op looked at would all be on each device, by device, without waiting
  /// for channels.
  std::span<const Picoseconds> ready_ps() const { return ready_ps_; }
  /// Where an op would run whose inputs are on `device` at `ready_ps`.
  Spot spot(OpId op, DeviceId device, Picoseconds ready_ps) const;
  /// The time from which on some slot of the device stays idle.
  Picoseconds idle_ps(DeviceId device) const;

  void place(OpId op, const Spot& spot);
  /// The same, for a placing that may be taken back. What was placed last has to be taken back
  /// first.
  Step try_place(OpId op, const Spot& spot);
  void take_back(const Step& step);
  /// From now on the group's ops may go to `device` only.
  void fix(GroupId group, DeviceId device);

  /// When and where the ops placed so far run, by op id.
  const std::vector<OpRun>& runs() const { return runs_; }
  /// The end of the last op.
  Picoseconds makespan_ps() const { return makespan_ps_; }
  /// The device of each group. All groups must have one.
  Placement placement() const { return {devices_}; }
  /// All ops by their starts. Among ops that start together, those that take no time come first,
  /// the others as they were placed.
  OpOrder order() const;
  /// The bytes that count as held by each group.
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
