#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "placer/base/rng.hpp"
#include "placer/model/problem.hpp"
#include "placer/sim/schedule.hpp"
#include "search/lists/occupancy.hpp"

namespace placer {

/// A schedule as a graph of ops in which each waits for its producers and for the op before it on
/// its device: the heads and tails of job-shop scheduling. Transfers weigh what they took, waiting
/// for the link included.
class Timing {
 public:
  explicit Timing(const Problem& problem);
  void read(const Schedule& schedule);
  /// Works out the schedule by itself, where devices take their ops strictly as they stand in
  /// `order`. False unless it ends at `step_ps`, as simulated; then nothing may be read. It may end
  /// at another time because requests that different devices make of one channel are not put in
  /// order, and several slots are not known.
  bool follow(const Placement& placement, const OpOrder& order, Picoseconds step_ps);

  Picoseconds step_ps() const { return step_ps_; }
  DeviceId device(OpId op) const { return ops_[op.index()].device; }
  /// When the op starts: its head.
  Picoseconds start_ps(OpId op) const { return ops_[op.index()].start_ps; }
  Picoseconds end_ps(OpId op) const { return ops_[op.index()].end_ps; }
  /// From the op's end to the last end of all that waits for it.
  Picoseconds tail_ps(OpId op) const { return ops_[op.index()].tail_ps; }
  /// How much later the op could end before the step does.
  Picoseconds slack_ps(OpId op) const { return step_ps_ - end_ps(op) - tail_ps(op); }

  /// The ops on a device, by their starts.
  std::span<const OpId> ops_on(DeviceId device) const;
  /// The position of the op in `ops_on` its device.
  std::size_t rank(OpId op) const { return ops_[op.index()].rank; }
  /// The op that left the slot to this one, and the one that takes it afterwards.
  std::optional<OpId> before(OpId op) const { return ops_[op.index()].before; }
  std::optional<OpId> after(OpId op) const { return ops_[op.index()].after; }

  /// When the inputs of `op` would be on `device`, and how long the step would go on after its end
  /// there because of its outputs. The other ops stay as they are, and transfers that would be new
  /// do not wait.
  Picoseconds ready_ps(OpId op, DeviceId device) const;
  Picoseconds outputs_tail_ps(OpId op, DeviceId device) const;
  /// The first in `ops_on(device)` that starts at `time_ps` or later; its size where none does.
  std::size_t first_from(DeviceId device, Picoseconds time_ps) const;

  /// Ops of a chain without slack, from the last to the first; at forks one way at random.
  void critical_path(Rng& rng, std::vector<OpId>& path) const;

 private:
  struct OpTime {
    DeviceId device;
    Picoseconds start_ps = 0, end_ps = 0, tail_ps = 0;
    std::size_t rank = 0;
    std::optional<OpId> before, after;
  };
  struct Edge {
    TensorId tensor;
    OpId other;    // that made it, or that reads it
    bool travels;  // from device to device; a control dependency is everywhere at once
  };
  /// Of each op one after the other.
  struct Edges {
    std::vector<std::size_t> end;
    std::vector<Edge> all;
    std::span<const Edge> of(OpId op) const {
      const std::size_t begin = op.index() == 0 ? 0 : end[op.index() - 1];
      return std::span(all).subspan(begin, end[op.index()] - begin);
    }
  };
  Picoseconds arrival_ps(const Edge& input, DeviceId to) const;
  std::pair<std::size_t, std::size_t> changed(const Placement& placement,
                                              const OpOrder& order) const;
  void cut(std::size_t first);
  void note_end(OpId op);
  bool append(OpId op);
  void finish();
  bool is_later(OpId op, OpId than) const;
  void sort_by_start();
  void put_last(OpId op);
  void fill_lanes();
  void fill_lanes_of(DeviceId device);
  void fill_tail(OpId of);

  const Problem* problem_;
  Edges inputs_, outputs_;
  std::vector<bool> sends_;  // by op, whether an output travels
  bool sends_any_ = false;
  Picoseconds step_ps_ = 0;
  std::vector<OpTime> ops_;
  Occupancy occupancy_;  // what was transferred; all of it while an order is followed
  bool one_slot_each_ = true;
  OpOrder followed_;            // empty where tensors travel, or a schedule was read since
  std::vector<OpId> by_start_;  // as it was read
  std::optional<OpId> last_;    // of those that end with the step, that which starts last
  std::vector<std::vector<OpId>> on_device_;
  std::vector<std::optional<OpId>> lanes_;  // while lanes are filled: the last of each slot
};

}  // namespace placer
