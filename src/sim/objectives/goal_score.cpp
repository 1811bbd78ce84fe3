#include "sim/objectives/goal_score.hpp"

namespace placer {

GoalScore::GoalScore(const Problem& problem) : problem_(problem), contiguity_(problem) {
  if (!wants_step()) loads_.emplace(problem);
  if (problem.goal().objective == Objective::kCallLatency) calls_.emplace(problem);
}

Score GoalScore::score(const Placement& placement, const Score& step) {
  Score score = step;
  if (loads_) {
    loads_->place(placement);
    score = calls_ ? calls_->score(*loads_) : loads_->score();
  }
  if (score == Score::deadlock()) return score;
  score.astray_ops += contiguity_.astray_ops(placement);
  return score;
}

}  // namespace placer
