#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "placer/sim/simulator.hpp"

namespace placer {

/// One simulator for each thread.
class Evaluators {
 public:
  Evaluators(const Problem& problem, Order order, int threads);
  ~Evaluators();

  Score one(const Placement& placement, const OpOrder& order, Schedule* schedule = nullptr) {
    return simulator(0).evaluate(placement, order, schedule);
  }
  /// Scores by index. `skip` is asked before each one, on its thread; the result ends before the
  /// first that was skipped.
  std::vector<Score> all(std::span<const Placement> placements, std::span<const OpOrder> orders,
                         const std::function<bool(std::size_t)>& skip);

 private:
  struct Arena;
  Simulator& simulator(std::size_t thread);

  const Problem& problem_;
  Order order_;
  std::vector<std::unique_ptr<Simulator>> simulators_;  // built when first used
  std::unique_ptr<Arena> arena_;                        // null for one thread
};

}  // namespace placer
