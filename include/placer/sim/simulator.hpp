#pragma once

#include <memory>
#include <span>
#include <string>

#include "placer/base/names.hpp"
#include "placer/model/problem.hpp"
#include "placer/sim/schedule.hpp"
#include "placer/sim/score.hpp"

namespace placer {

/// In which order a device takes its ops. Of its ready ops the best, by
///  - fifo: the earlier ready time, then the smaller op id;
///  - priority: the larger upward rank (`upward_ranks`), then the smaller op id;
///  - pct: the larger upward rank, then the earlier ready time, then the smaller op id;
///  - msr: the larger successor rank (below), then as pct.
/// Strictly the next of a sequence, once it is ready, are
///  - program: the topological order that takes the lowest op id first;
///  - given: the sequences that come with the placement.
///
/// The successor rank of a ready op is a sum over the ops that consume its outputs, each once: 1;
/// for one on another device 1 more; where all its other inputs are there already, 1 more; and if
/// moreover no ready op waits on that device, 5 more. It is taken anew in each round after
/// everything that has ended took effect and before any device takes an op.
///
/// pct (path computation time) and msr (maximum successor rank) are the schedulers of Mayer, Mayer,
/// Laich, "The TensorFlow Partitioning and Scheduling Problem: It's the Critical Path!" (2017);
/// weights and ties as in their published simulator, where the path of pct includes transfers.
enum class Order { kFifo, kPriority, kPct, kMsr, kProgram, kGiven };
constexpr Names<6> names_of(Order) {
  return {"fifo", "priority", "pct", "msr", "program", "given"};
}

/// Predicts the step time of placements of one problem by discrete events. Not for use by two
/// threads at once; one for each. Once built, `evaluate` without a schedule allocates nothing.
class Simulator {
 public:
  Simulator(const Problem& problem, Order order);
  ~Simulator();
  Simulator(Simulator&&) noexcept;
  Simulator& operator=(Simulator&&) noexcept;

  /// `placement` has an allowed device for each group. Under `given` the ops run in `sequences`,
  /// which hold every op once, on its device; null means each device's ops by upward rank
  /// (`upward_rank_sequences`). Sequences that deadlock score Score::deadlock(), and leave
  /// `schedule` unspecified. Other orders ignore `sequences`. A `schedule` that is not null is
  /// overwritten.
  Score evaluate(const Placement& placement, const Sequences* sequences = nullptr,
                 Schedule* schedule = nullptr);
  /// The same with the sequences of `order`; empty: by upward rank.
  Score evaluate(const Placement& placement, const OpOrder& order, Schedule* schedule = nullptr);

  const Problem& problem() const;
  Order order() const;

 private:
  class Paths;
  std::unique_ptr<Paths> paths_;
};

/// Rank of each op for the placement at hand, in ps: its time on its device plus the largest, over
/// its consumers, of the transfer to the consumer's device (without contention) plus the consumer's
/// rank.
std::vector<Picoseconds> upward_ranks(const Problem& problem, const Placement& placement);

/// Each device's ops by larger upward rank, then program order; never deadlocks.
Sequences upward_rank_sequences(const Problem& problem, const Placement& placement);

/// Each device's ops as they stand in `order`.
Sequences sequences_of(const Problem& problem, const Placement& placement, const OpOrder& order);

/// An order with these sequences, lowest op id first where it is free; shorter than the ops when
/// they deadlock.
OpOrder op_order_of(const Problem& problem, const Sequences& sequences);

/// Empty when the sequences can run; else one line that names two ops that wait for each other:
/// "'a' waits for 'b' ...".
std::string deadlock_of(const Problem& problem, const Sequences& sequences);

}  // namespace placer
