#include "placer/sim/simulator.hpp"

#include <optional>

#include "sim/fast_path.hpp"
#include "sim/loop.hpp"
#include "sim/objectives/goal_score.hpp"

namespace placer {

namespace {

/// `problem`. Throws Stopped where it is large and its deadline has passed.
const Problem& in_time(const Problem& problem) {
  Watch(problem.deadline()).check(problem.op_count());
  return problem;
}

}  // namespace

/// The general loop, and the fast path that spares it where it can.
class Simulator::Paths {
 public:
  Paths(const Problem& problem, Order order)
      : layout_(in_time(problem)),
        loop_(in_time(problem), layout_, order),
        fast_(make_fast_path(layout_, order)) {
    if (!problem.goal().is_step()) goal_.emplace(loop_.problem());
  }

  /// By the problem's goal; `how` is what evaluate_step takes besides.
  template <class How>
  Score evaluate(const Placement& placement, const How& how, Schedule* schedule,
                 Picoseconds most_ps = kAnyTime) {
    if (!goal_) return evaluate_step(placement, how, schedule, most_ps);
    if (schedule == nullptr && !goal_->wants_step()) return goal_->score(placement, {});
    const Score step = evaluate_step(placement, how, schedule, kAnyTime);
    if (schedule == nullptr) return goal_->score(placement, step);
    schedule->score = goal_->score(placement, step);
    if (goal_->wants_step()) return schedule->score;
    for (const DeviceId device : IdRange<DeviceId>(schedule->peak_bytes.size())) {
      schedule->peak_bytes[device.index()] = goal_->bytes(device);
    }
    return schedule->score;
  }
  const Loop& loop() const { return loop_; }
  const CompactLayout& layout() const { return layout_; }

 private:
  Score evaluate_step(const Placement& placement, const Sequences* sequences, Schedule* schedule,
                      Picoseconds most_ps) {
    if (fast_ && schedule == nullptr) {
      const std::optional<Score> score = fast_->evaluate(placement, sequences, most_ps);
      if (score) return *score;
    }
    return loop_.evaluate(placement, sequences, schedule);
  }

  Score evaluate_step(const Placement& placement, const OpOrder& order, Schedule* schedule,
                      Picoseconds most_ps) {
    const Problem& problem = loop_.problem();
    if (order.empty() || loop_.order() != Order::kGiven) {
      return evaluate_step(placement, nullptr, schedule, most_ps);
    }
    if (fast_ && schedule == nullptr) {
      const std::optional<Score> score = fast_->evaluate(placement, order, most_ps);
      if (score) return *score;
    }
    sequences_.resize(problem.device_count());
    for (std::vector<OpId>& sequence : sequences_) sequence.clear();
    for (const OpId op : order)
      sequences_[placement[problem.groups().of(op)].index()].push_back(op);
    return loop_.evaluate(placement, &sequences_, schedule);
  }
  const CompactLayout layout_;
  Loop loop_;
  std::unique_ptr<FastPath> fast_;
  std::optional<GoalScore> goal_;  // where it is not the step alone
  Sequences sequences_;            // of the last order; kept for its memory
};

Simulator::Simulator(const Problem& problem, Order order)
    : paths_(std::make_unique<Paths>(problem, order)) {}
Simulator::~Simulator() = default;
Simulator::Simulator(Simulator&&) noexcept = default;
Simulator& Simulator::operator=(Simulator&&) noexcept = default;

Score Simulator::evaluate(const Placement& placement, const Sequences* sequences,
                          Schedule* schedule) {
  return paths_->evaluate(placement, sequences, schedule);
}
Score Simulator::evaluate(const Placement& placement, const OpOrder& order, Schedule* schedule) {
  return paths_->evaluate(placement, order, schedule);
}
Score Simulator::evaluate_within(Picoseconds most_ps, const Placement& placement,
                                 const OpOrder& order) {
  return paths_->evaluate(placement, order, nullptr, most_ps);
}
const Problem& Simulator::problem() const { return paths_->loop().problem(); }
const CompactLayout& Simulator::layout() const { return paths_->layout(); }
Order Simulator::order() const { return paths_->loop().order(); }

}  // namespace placer
