#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sim/objectives/call_latency.hpp"
#include "sim/objectives/contiguity.hpp"
#include "sim/objectives/device_loads.hpp"

namespace placer {

/// Scores moves under the objectives throughput and call-latency with the same bits as GoalScore.
/// Loads and memory change with the moves; calls, and contiguity where the goal asks for it, are
/// looked at anew each time.
class GoalWalk {
 public:
  explicit GoalWalk(const Problem& problem);

  /// The next proposal begins another walk.
  void restart() { is_placed_ = false; }
  /// The score of `current` after `moves`. `current` is that of the last proposal, with its moves
  /// where it was accepted.
  Score propose(const Placement& current, std::span<const Move> moves);
  void accept() { undo_.clear(); }

 private:
  DeviceLoads loads_;
  std::optional<CallLatency> calls_;
  ContiguityCheck contiguity_;
  std::vector<Move> undo_;  // back to the current placement
  bool is_placed_ = false;
};

}  // namespace placer
