#include "search/core/evaluators.hpp"

#include <algorithm>

namespace placer {

Evaluators::Evaluators(const Problem& problem, Order order, int threads, BatchScorer* elsewhere)
    : problem_(problem),
      order_(order),
      elsewhere_(elsewhere),
      team_(threads),
      simulators_(team_.size()) {}

Evaluators::~Evaluators() = default;

Simulator& Evaluators::simulator(std::size_t thread) {
  std::unique_ptr<Simulator>& simulator = simulators_[thread];
  if (!simulator) simulator = std::make_unique<Simulator>(problem_, order_);
  return *simulator;
}

Score Evaluators::moved(std::uint64_t walk, const Placement& current, const Placement& proposed,
                        std::span<const Move> moves, Picoseconds most_ps) {
  const bool is_another = std::exchange(walk_, walk) != walk;
  if (problem_.goal().objective != Objective::kLatency) {
    if (!goal_walk_) goal_walk_ = std::make_unique<GoalWalk>(problem_);
    if (is_another) goal_walk_->restart();
    return goal_walk_->propose(current, moves);
  }
  if (!Incremental::serves(order_) || !problem_.goal().is_step()) {
    return within(most_ps, proposed, {});
  }
  if (!incremental_) incremental_ = std::make_unique<Incremental>(simulator(0));
  if (is_another) incremental_->restart();
  return incremental_->propose(current, proposed, moves, most_ps);
}

ContiguityRepair* Evaluators::repair() {
  return problem_.goal().contiguity == Contiguity::kNone ? nullptr : mender();
}

ContiguityRepair* Evaluators::mender() {
  const Goal& goal = problem_.goal();
  if (goal.contiguity == Contiguity::kNone && goal.objective != Objective::kCallLatency) {
    return nullptr;
  }
  if (!repair_) repair_ = std::make_unique<ContiguityRepair>(problem_);
  return repair_.get();
}

void Evaluators::accepted(std::uint64_t walk) {
  if (incremental_ && walk_ == walk) incremental_->accept();
  if (goal_walk_ && walk_ == walk) goal_walk_->accept();
}

std::vector<Score> Evaluators::all(std::span<const Placement> placements,
                                   std::span<const OpOrder> orders,
                                   const std::function<bool(std::size_t)>& skip) {
  std::vector<Score> scores;
  if (elsewhere_ != nullptr) {
    scores = elsewhere_->scores(problem_, placements, orders,
                                [&] { return skip(placements.size() - 1); });
  }
  const std::size_t known = scores.size();
  scores.resize(placements.size());
  std::vector<char> skipped(placements.size(), 0);
  const auto evaluate = [&](std::size_t nth, std::size_t thread) {
    const std::size_t index = known + nth;
    skipped[index] = skip(index) ? 1 : 0;
    if (skipped[index] != 0) return;
    scores[index] = simulator(thread).evaluate(placements[index], order_at(orders, index));
  };
  team_.each(placements.size() - known, evaluate);
  const auto first_skipped = std::ranges::find(skipped, 1);
  scores.resize(static_cast<std::size_t>(first_skipped - skipped.begin()));
  return scores;
}

}  // namespace placer
