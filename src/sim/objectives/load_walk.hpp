#pragma once

#include <span>
#include <vector>

#include "sim/objectives/contiguity.hpp"
#include "sim/objectives/device_loads.hpp"

namespace placer {

/// Scores moves under the objective throughput by what they change, with the same bits as
/// GoalScore. Contiguity, where the goal asks for it, is checked anew each time.
class LoadWalk {
 public:
  explicit LoadWalk(const Problem& problem) : loads_(problem), contiguity_(problem) {}

  /// The next proposal begins another walk.
  void restart() { is_placed_ = false; }
  /// The score of `current` after `moves`. `current` is that of the last proposal, with its moves
  /// where it was accepted.
  Score propose(const Placement& current, std::span<const Move> moves);
  void accept() { undo_.clear(); }

 private:
  DeviceLoads loads_;
  ContiguityCheck contiguity_;
  std::vector<Move> undo_;  // back to the current placement
  bool is_placed_ = false;
};

}  // namespace placer
