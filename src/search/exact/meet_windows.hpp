#pragma once

#include "placer/search/search.hpp"
#include "search/bounds/step_windows.hpp"

namespace placer {

/// Simulated annealing of placement and order, from the best so far towards a step in which every
/// op keeps to its window. It minimises the sum of all lateness and not the step time, which does
/// not tell what else is in the way. A fixed number of changes is worked out for each evaluation,
/// so that it repeats itself under a budget of evaluations. It is for order `given` where every
/// device has one slot; elsewhere, and where the windows are impossible, it returns at once.
/// Otherwise it returns when the budget is spent or nothing is late.
void meet_windows(Search& search, const MemoryFit& fit, const StepWindows& windows);

}  // namespace placer
