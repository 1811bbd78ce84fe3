#include "placer/sim/simulator.hpp"

#include <optional>

#include "sim/fast_path.hpp"
#include "sim/loop.hpp"

namespace placer {

/// The general loop, and the fast path that spares it where it can.
class Simulator::Paths {
 public:
  Paths(const Problem& problem, Order order)
      : layout_(problem), loop_(problem, layout_, order), fast_(make_fast_path(layout_, order)) {}

  Score evaluate(const Placement& placement, const Sequences* sequences, Schedule* schedule) {
    if (fast_ && schedule == nullptr) {
      const std::optional<Score> score = fast_->evaluate(placement, sequences);
      if (score) return *score;
    }
    return loop_.evaluate(placement, sequences, schedule);
  }

  Score evaluate(const Placement& placement, const OpOrder& order, Schedule* schedule) {
    const Problem& problem = loop_.problem();
    if (order.empty() || loop_.order() != Order::kGiven) {
      return evaluate(placement, nullptr, schedule);
    }
    if (fast_ && schedule == nullptr) {
      const std::optional<Score> score = fast_->evaluate(placement, order);
      if (score) return *score;
    }
    sequences_.resize(problem.device_count());
    for (std::vector<OpId>& sequence : sequences_) sequence.clear();
    for (const OpId op : order)
      sequences_[placement[problem.groups().of(op)].index()].push_back(op);
    return loop_.evaluate(placement, &sequences_, schedule);
  }
  const Loop& loop() const { return loop_; }

 private:
  const CompactLayout layout_;
  Loop loop_;
  std::unique_ptr<FastPath> fast_;
  Sequences sequences_;  // of the last order; kept for its memory
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
const Problem& Simulator::problem() const { return paths_->loop().problem(); }
Order Simulator::order() const { return paths_->loop().order(); }

}  // namespace placer
