#pragma once

#include <vector>

#include "placer/search/search.hpp"
#include "search/bounds/path_prices.hpp"
#include "search/lists/rules.hpp"

namespace placer {

/// What each group costs more on a device than where it costs least, at the prices of a bound on
/// the step: group * devices + device, in ps of a device's time, infinite where the group does not
/// fit. In a step as short as that bound, no group pays anything.
std::vector<double> surcharges(const Problem& problem, const MemoryFit& fit,
                               const LoadBound& prices);

/// Scores schedules of HEFT in which the first op of a group pays, beside a late finish, some times
/// the surcharge of its device; several times, as no bound says what a late finish costs. Groups
/// count in memory with what they keep and `passing_share` of what comes and goes. None where no
/// device is dearer than another and `passing_share` is 0: that is HEFT itself. `lists` are those
/// of the search's problem.
void try_priced_lists(Search& search, ListScheduler& lists, const MemoryFit& fit,
                      const LoadBound& prices, double passing_share);

}  // namespace placer
