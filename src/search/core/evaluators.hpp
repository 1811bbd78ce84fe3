#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/team.hpp"
#include "placer/sim/incremental.hpp"
#include "placer/sim/simulator.hpp"
#include "search/groups/contiguity_repair.hpp"
#include "sim/objectives/goal_walk.hpp"

namespace placer {

/// `orders[index]`, or the empty order where `orders` is empty.
inline const OpOrder& order_at(std::span<const OpOrder> orders, std::size_t index) {
  static const OpOrder kNone;
  return orders.empty() ? kNone : orders[index];
}

/// Scores placements of one problem elsewhere than on the request's threads, with the same bits.
class BatchScorer {
 public:
  virtual ~BatchScorer() = default;
  /// The scores of the first of `placements`, whose groups are `placed`'s: the problem's own, or
  /// merged. There are fewer than `placements`, or none, where it does not pay to ask elsewhere,
  /// and once `stop` says so. `orders` has one order for each placement, or none at all.
  virtual std::vector<Score> scores(const Problem& placed, std::span<const Placement> placements,
                                    std::span<const OpOrder> orders,
                                    const std::function<bool()>& stop) = 0;
};

/// One simulator for each thread, and one for the moves of walks.
class Evaluators {
 public:
  /// `elsewhere`, which may be null, is asked first to score batches.
  Evaluators(const Problem& problem, Order order, int threads, BatchScorer* elsewhere = nullptr);
  ~Evaluators();

  Score one(const Placement& placement, const OpOrder& order, Schedule* schedule = nullptr) {
    return simulator(0).evaluate(placement, order, schedule);
  }
  /// As Simulator::evaluate_within has it.
  Score within(Picoseconds most_ps, const Placement& placement, const OpOrder& order) {
    return simulator(0).evaluate_within(most_ps, placement, order);
  }
  /// The same of `proposed`, which is `current` after `moves`. `walk` is the number of a walk,
  /// whose current placement changes only by `accepted`.
  Score moved(std::uint64_t walk, const Placement& current, const Placement& proposed,
              std::span<const Move> moves, Picoseconds most_ps);
  /// Makes moves of walks keep to the goal's contiguity; null where it asks for none.
  ContiguityRepair* repair();
  /// Makes placements keep to the goal's contiguity, and calls not wait for each other; null where
  /// nothing is asked.
  ContiguityRepair* mender();
  /// To be called when the walk's last proposal has become its current placement.
  void accepted(std::uint64_t walk);
  /// The scores of many placements, by index. `skip` is asked before each one, on the thread that
  /// would score it, and of the last while others score; the result ends before the first that was
  /// skipped.
  std::vector<Score> all(std::span<const Placement> placements, std::span<const OpOrder> orders,
                         const std::function<bool(std::size_t)>& skip);

 private:
  Simulator& simulator(std::size_t thread);

  const Problem& problem_;
  Order order_;
  BatchScorer* elsewhere_;
  Team team_;
  std::vector<std::unique_ptr<Simulator>> simulators_;  // built when first used
  std::unique_ptr<Incremental> incremental_;            // built when first used
  std::unique_ptr<GoalWalk> goal_walk_;                 // the same, where loads count
  std::unique_ptr<ContiguityRepair> repair_;            // the same, where contiguity counts
  std::optional<std::uint64_t> walk_;                   // that proposed last
};

}  // namespace placer
