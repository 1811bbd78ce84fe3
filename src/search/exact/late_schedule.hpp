#pragma once

#include <vector>

#include "placer/base/rng.hpp"
#include "placer/model/problem.hpp"
#include "search/bounds/step_windows.hpp"
#include "search/lists/occupancy.hpp"

namespace placer {

/// The schedule of a placement and an order of ops, where each op has a deadline. An op that would
/// end after its deadline is late by the difference, but counts as ended in time for all that waits
/// for it: so lateness stays where it arises, and a change of one op changes little else. If
/// nothing is late, every device has one slot and every channel one sender, this is the simulated
/// schedule; otherwise nearly so.
class LateSchedule {
 public:
  struct Change {
    OpId op;
    DeviceId device;           // for its group
    std::size_t position = 0;  // in the order, or as near as its producers and consumers let it
  };

  LateSchedule(const Problem& problem, const StepWindows& windows);

  /// Makes the schedule. `placement` has a device for each group where its ops' windows let them
  /// run, and `order` has all ops.
  void read(Placement placement, OpOrder order);
  /// Sorts the order by the ops' starts. That moves no op in time where every channel has one
  /// sender.
  void sort();

  const Placement& placement() const { return placement_; }
  const OpOrder& order() const { return order_; }
  std::size_t position(OpId op) const { return position_[op.index()]; }
  /// The lateness of all ops together.
  Picoseconds lateness_ps() const { return lateness_ps_; }
  Picoseconds start_ps(OpId op) const { return ops_[op.index()].start_ps; }

  /// Makes `change` and returns the lateness after it. The change then has to be kept or taken
  /// back.
  Picoseconds change(const Change& change);
  void keep();
  void take_back();

  /// An op because of which some op is late, found by going back from a random op that is late; any
  /// op where none is late.
  OpId draw_cause(Rng& rng) const;

 private:
  using Lane = Occupancy::Lane;
  static constexpr std::uint32_t kNothing = Occupancy::kNothing;

  struct OpTime {
    Picoseconds start_ps = 0, end_ps = 0, late_ps = 0;
    std::uint32_t before = kNothing;  // the op before it on its device
  };
  template <class T>
  struct Was {
    std::size_t at;
    T value;
  };

  DeviceId device(OpId op) const { return placement_[problem_->groups().of(op)]; }
  /// When an input came to where `op` runs.
  const Occupancy::Arrival& arrival(TensorId tensor, OpId op) const {
    return *occupancy_.arrival(occupancy_.copy(tensor, device(op)));
  }
  void run(OpId op);
  std::size_t first_affected(OpId op, std::size_t position) const;
  std::size_t last_consumer(OpId op) const;
  void run_all();
  std::span<Lane> stored_lanes(std::size_t position);
  void run_from(std::size_t first, std::size_t last);
  bool same_as_before(std::size_t position);
  void shift(OpId op, std::size_t to);
  void list_late();
  OpId blocker(std::uint32_t copy, OpId producer, Rng& rng, bool& done) const;

  const Problem* problem_;
  const StepWindows* windows_;
  std::size_t devices_, interval_;
  Picoseconds most_late_ps_;  // that one op counts for: the sum must not overflow
  Placement placement_;
  OpOrder order_;
  std::vector<std::size_t> position_;
  Picoseconds lateness_ps_ = 0;
  std::vector<OpTime> ops_;
  Occupancy occupancy_;
  std::vector<Lane> stored_;  // the lanes before each `interval_` positions
  std::vector<OpId> late_;
  std::vector<std::size_t> late_at_;  // by op; kNothing where it is in time

  // What the change at hand has changed.
  OpId moved_;
  std::size_t moved_from_ = 0;
  DeviceId device_before_;
  Picoseconds lateness_before_ps_ = 0;
  std::vector<Was<OpTime>> ops_were_;
  std::vector<Was<Lane>> stored_were_;
};

}  // namespace placer
