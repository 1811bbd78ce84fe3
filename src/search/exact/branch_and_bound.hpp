#pragma once

#include "search/tree/node_budget.hpp"

namespace placer {

/// The number of placements, where placements that differ only by which of several identical
/// devices is used count as different. Infinity beyond the range of double.
double placement_count(const Problem& problem);

/// Looks by branch and bound for placements that are better than the best so far, under order
/// `given` for placements and orders, within `nodes` and the search's budget. Where the best is
/// proven optimal, it has told the search so. Deterministic under a budget of evaluations. Where
/// nothing has been scored yet, it begins with list schedules.
ExactEnd branch_and_bound(Search& search, NodeBudget nodes);

/// The part of it that looks at schedules, under order `given`, once something has been scored.
/// `lower_ps` is a lower bound on the step time.
ExactEnd branch_and_bound_orders(Search& search, NodeBudget& nodes, Picoseconds lower_ps);

}  // namespace placer
