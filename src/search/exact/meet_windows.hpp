#pragma once

#include "placer/search/search.hpp"
#include "search/bounds/step_windows.hpp"

namespace placer {

/// Simulated annealing of placement and order from the best so far towards a step in which every op
/// keeps to its window: of the sum of all lateness, not of the step time, which says nothing of
/// what would be next in the way. Several changes are worked out for each evaluation, so that it
/// repeats itself under a budget of those. Under order `given`, where every device has one slot;
/// elsewhere, or where the windows are impossible, returns at once. Returns when the budget is
/// spent or nothing is late.
void meet_windows(Search& search, const MemoryFit& fit, const StepWindows& windows);

}  // namespace placer
