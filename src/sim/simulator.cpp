#include "placer/sim/simulator.hpp"

#include "sim/loop.hpp"

namespace placer {

Simulator::Simulator(const Problem& problem, Order order)
    : loop_(std::make_unique<Loop>(problem, order)) {}
Simulator::~Simulator() = default;
Simulator::Simulator(Simulator&&) noexcept = default;
Simulator& Simulator::operator=(Simulator&&) noexcept = default;

Score Simulator::evaluate(const Placement& placement, const Sequences* sequences,
                          Schedule* schedule) {
  return loop_->evaluate(placement, sequences, schedule);
}
const Problem& Simulator::problem() const { return loop_->problem(); }
Order Simulator::order() const { return loop_->order(); }

}  // namespace placer
