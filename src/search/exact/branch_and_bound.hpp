#pragma once

#include <cstdint>
#include <span>

#include "placer/search/search.hpp"

namespace placer {

/// The number of placements, alike devices told apart; infinity beyond the range of double.
double placement_count(const Problem& problem);

/// Looks for placements (under `given`: placements and orders) better than the best so far by
/// branch and bound, in at most `nodes` partial ones and what the search's budget allows. Returns
/// whether the best, which fits, is proven optimal, and then says so to the search. Deterministic
/// under a budget of evaluations. Starts from list schedules where nothing has been scored yet.
bool branch_and_bound(Search& search, std::int64_t nodes);

/// Parts of it, once something has been scored. `lower_ps` is a lower bound on the step time.
bool branch_and_bound_placements(Search& search, std::int64_t nodes, Picoseconds lower_ps);
bool branch_and_bound_orders(Search& search, std::int64_t nodes, Picoseconds lower_ps);
/// Tells how many nodes one of them has looked at, and why it stopped.
void tell_exact_end(const Search& search, std::int64_t nodes, bool proven);

}  // namespace placer
