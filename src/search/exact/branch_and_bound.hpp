#pragma once

#include <cstdint>

#include "placer/search/search.hpp"

namespace placer {

/// The number of placements, where placements that differ only by which of several identical
/// devices is used count as different. Infinity beyond the range of double.
double placement_count(const Problem& problem);

/// The nodes, partial placements or schedules, that an exact search may look at.
class NodeBudget {
 public:
  /// At most `most`; none of them counts as an evaluation.
  explicit NodeBudget(std::int64_t most) : left_(most) {}
  /// At most `most`, which count towards the budget of `search`.
  NodeBudget(std::int64_t most, Search& search) : left_(most), search_(&search) {}

  /// How many may be looked at now, where so many count as an evaluation.
  std::int64_t left(std::int64_t per_evaluation) const;
  void take(std::int64_t nodes, std::int64_t per_evaluation);
  std::int64_t taken() const { return taken_; }

 private:
  std::int64_t left_, taken_ = 0, uncounted_ = 0;
  Search* search_ = nullptr;
};

enum class ExactEnd { kProven, kNothingFits, kCutShort };

/// Looks by branch and bound for placements that are better than the best so far, under order
/// `given` for placements and orders, within `nodes` and the search's budget. Where the best is
/// proven optimal, it has told the search so. Deterministic under a budget of evaluations. Where
/// nothing has been scored yet, it begins with list schedules.
ExactEnd branch_and_bound(Search& search, NodeBudget nodes);

/// The two parts of it, for placements alone and with orders, once something has been scored.
/// `lower_ps` is a lower bound on the step time.
ExactEnd branch_and_bound_placements(Search& search, NodeBudget& nodes, Picoseconds lower_ps);
ExactEnd branch_and_bound_orders(Search& search, NodeBudget& nodes, Picoseconds lower_ps);

}  // namespace placer
