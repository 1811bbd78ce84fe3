#pragma once

#include <memory>
#include <string>

#include "placer/base/names.hpp"
#include "placer/model/problem.hpp"
#include "placer/sim/schedule.hpp"
#include "placer/sim/score.hpp"

namespace placer {

struct CompactLayout;

/// In which order a device takes its ops. In four orders it takes the best of its ready ops:
///  - fifo: the earlier ready time, then the smaller op id;
///  - priority: the larger upward rank (`upward_ranks`), then the smaller op id;
///  - pct: the larger upward rank, then the earlier ready time, then the smaller op id;
///  - msr: the larger successor rank (below), then as pct.
/// In two it takes strictly the next op of a sequence, and waits until that is ready:
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

/// Predicts the step time of placements of one problem, by simulating the events of a step. Each
/// thread needs a simulator of its own. Once it is built, `evaluate` without a schedule allocates
/// no memory.
class Simulator {
 public:
  /// Throws Stopped where the problem is large and its deadline has passed.
  Simulator(const Problem& problem, Order order);
  ~Simulator();
  Simulator(Simulator&&) noexcept;
  Simulator& operator=(Simulator&&) noexcept;

  /// The score of `placement`, which has an allowed device for each group. Under order `given` each
  /// device runs its ops as they stand in `sequences`, which hold every op once, on its device;
  /// null stands for each device's ops by upward rank (`upward_rank_sequences`). Sequences that
  /// deadlock score Score::deadlock(). Other orders ignore `sequences`. Where `schedule` is not
  /// null, what ran and moved when is written to it; after a deadlock it is unspecified. Where a
  /// simulation takes long, it throws Stopped when the problem's deadline has passed.
  Score evaluate(const Placement& placement, const Sequences* sequences = nullptr,
                 Schedule* schedule = nullptr);
  /// The same with the sequences that `order` stands for; an empty one stands for each device's ops
  /// by upward rank.
  Score evaluate(const Placement& placement, const OpOrder& order, Schedule* schedule = nullptr);
  /// The same, where a step that takes longer than `most_ps` is not wanted: its score may be
  /// Score::too_long, which is found without a look at memory.
  Score evaluate_within(Picoseconds most_ps, const Placement& placement, const OpOrder& order);

  const Problem& problem() const;
  Order order() const;
  /// The problem as the simulator walks it.
  const CompactLayout& layout() const;

 private:
  class Paths;
  std::unique_ptr<Paths> paths_;
};

/// The upward rank of each op under `placement`, in ps: how long the step goes on at least from the
/// op's start. It is the op's time on its device plus the largest, over its consumers, of the
/// transfer to the consumer's device (without contention) plus the consumer's rank.
std::vector<Picoseconds> upward_ranks(const Problem& problem, const Placement& placement);

/// Each device's ops, those of larger upward rank first and equal ones in program order. Such
/// sequences never deadlock.
Sequences upward_rank_sequences(const Problem& problem, const Placement& placement);

/// Each device's ops in the order in which they stand in `order`.
Sequences sequences_of(const Problem& problem, const Placement& placement, const OpOrder& order);

/// An order of all ops that has these sequences; where several ops could come next, the one of
/// lowest id does. When the sequences deadlock, it is shorter than the number of ops.
OpOrder op_order_of(const Problem& problem, const Sequences& sequences);

/// All ops by their starts. Devices with one slot have the same sequences as in `schedule`.
OpOrder order_by_start(const Problem& problem, const Schedule& schedule);

/// One line that names two ops that wait for each other, "'a' waits for 'b' ...", or an empty text
/// when the sequences can run.
std::string deadlock_of(const Problem& problem, const Sequences& sequences);

}  // namespace placer
