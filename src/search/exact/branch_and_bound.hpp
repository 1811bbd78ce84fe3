#pragma once

#include <cstdint>

#include "placer/search/search.hpp"

namespace placer {

/// The number of placements, where placements that differ only by which of several identical
/// devices is used count as different. Infinity beyond the range of double.
double placement_count(const Problem& problem);

/// Looks by branch and bound for placements that are better than the best so far, under order
/// `given` for placements and orders. It looks at no more than `nodes` partial ones, and at no more
/// than the search's budget allows. Returns whether the best fits and is proven optimal; then it
/// has told the search so. Deterministic under a budget of evaluations. Where nothing has been
/// scored yet, it begins with list schedules.
bool branch_and_bound(Search& search, std::int64_t nodes);

/// The two parts of it, for placements alone and with orders, once something has been scored.
/// `lower_ps` is a lower bound on the step time.
bool branch_and_bound_placements(Search& search, std::int64_t nodes, Picoseconds lower_ps);
bool branch_and_bound_orders(Search& search, std::int64_t nodes, Picoseconds lower_ps);
/// Tells how many nodes one of them has looked at, and why it stopped.
void tell_exact_end(const Search& search, std::int64_t nodes, bool proven);

}  // namespace placer
