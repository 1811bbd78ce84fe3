#include "sim/objectives/goal_walk.hpp"

namespace placer {

GoalWalk::GoalWalk(const Problem& problem) : loads_(problem), contiguity_(problem) {
  if (problem.goal().objective == Objective::kCallLatency) calls_.emplace(problem);
}

Score GoalWalk::propose(const Placement& current, std::span<const Move> moves) {
  if (!is_placed_) {
    loads_.place(current);
    is_placed_ = true;
  } else {
    loads_.move(undo_);
  }
  undo_.clear();
  for (const Move& move : moves) undo_.push_back({move.group, current[move.group]});
  loads_.move(moves);
  Score score = calls_ ? calls_->score(loads_) : loads_.score();
  score.astray_ops += contiguity_.astray_ops(loads_.placement());
  return score;
}

}  // namespace placer
