#pragma once

#include <cstdint>
#include <limits>

#include "search/tree/node_budget.hpp"

namespace placer {

/// The number of placements, where placements that differ only by which of several identical
/// devices is used count as different. Infinity beyond the range of double.
double placement_count(const Problem& problem);

/// How many partial placements or schedules may be looked at.
struct ExactEffort {
  std::int64_t most_nodes;
  /// Partial placements in a row, while the least bound of what is left does not rise.
  std::int64_t most_in_vain = std::numeric_limits<std::int64_t>::max();
};

/// Looks by branch and bound for placements that are better than the best so far, under order
/// `given` first for schedules, with `effort` for each, whose nodes count towards the
/// search's budget. Where the best is proven optimal, or what is left is known to take at least so
/// long, it has told the search so. Deterministic under a budget of evaluations. Where nothing has
/// been scored yet, it begins with list schedules.
ExactEnd branch_and_bound(Search& search, const ExactEffort& effort);

/// The part of it that looks at schedules, under order `given`, once something has been scored.
/// `lower_ps` is a lower bound on the step time.
ExactEnd branch_and_bound_orders(Search& search, NodeBudget& nodes, Picoseconds lower_ps);

}  // namespace placer
