#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "placer/model/placement.hpp"
#include "placer/sim/simulator.hpp"

namespace placer {

/// Scores placements that differ from a current one in few groups. The scores have the same bits as
/// a simulator's, and come much faster where few ops run at other times than before. Under order
/// `fifo`, where each device has one slot and each channel one sender, it simulates the step only
/// until everything goes on as before, perhaps shifted in time. Elsewhere, and while that does not
/// pay, it asks the simulator. Which of the two it does depends on nothing but the calls so far.
/// Not for use by two threads at once.
class Incremental {
 public:
  /// What it has done so far. A step is an op's turn in a simulation.
  struct Work {
    std::int64_t proposals = 0;
    std::int64_t full_evaluations = 0;  // by the simulator, of proposals
    std::int64_t logs = 0;              // of a current placement, all steps of it
    std::int64_t steps = 0;             // without those of the two above
  };

  /// When to simulate a change no further than necessary: where that pays or, for tests, wherever
  /// it is possible.
  enum class Use { kWherePaying, kAlways };

  /// Whether it is of any use under `order`; where it is not, it always asks the simulator.
  static bool serves(Order order) { return order == Order::kFifo; }

  /// `simulator` has to outlive this object.
  explicit Incremental(Simulator& simulator, Use use = Use::kWherePaying);
  ~Incremental();

  /// To be called before a proposal whose current placement is not the one that the calls so far
  /// have led to.
  void restart();
  /// The score of `proposed`, which is `current` after `moves`, as Simulator::evaluate_within has
  /// it. Between restarts, `current` may only change by `accept`.
  Score propose(const Placement& current, const Placement& proposed, std::span<const Move> moves,
                Picoseconds most_ps = kAnyTime);
  /// Makes the last proposal the current placement.
  void accept();

  const Work& work() const;

 private:
  class Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace placer
