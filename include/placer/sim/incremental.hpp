#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "placer/model/placement.hpp"
#include "placer/sim/simulator.hpp"

namespace placer {

/// Scores placements that differ from a current one in few groups, with the bits of a simulator
/// and, where few ops run otherwise for it, much faster. Under order `fifo`, one slot in each
/// device and a sender of its own for each channel, it simulates only until all goes on as before,
/// perhaps at another time; elsewhere, and while that does not pay, it asks the simulator. Which of
/// the two it does depends on nothing but the calls so far. Not for use by two threads at once.
class Incremental {
 public:
  /// What it has done so far. A step is an op's turn in a simulation.
  struct Work {
    std::int64_t proposals = 0;
    std::int64_t full_evaluations = 0;  // by the simulator, of proposals
    std::int64_t logs = 0;              // of a current placement, all steps of it
    std::int64_t steps = 0;             // without those of the two above
  };

  /// Whether a change is simulated no further than necessary: where that pays, or, to try it out,
  /// wherever that can be done.
  enum class Use { kWherePaying, kAlways };

  /// `simulator` outlives this.
  explicit Incremental(Simulator& simulator, Use use = Use::kWherePaying);
  ~Incremental();

  /// The next proposal has another current placement than the last one left.
  void restart();
  /// The score of `proposed`: `current` after `moves`. Between restarts, `current` changes only by
  /// `accept`.
  Score propose(const Placement& current, const Placement& proposed, std::span<const Move> moves);
  /// Makes the last proposal current.
  void accept();

  const Work& work() const;

 private:
  class Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace placer
