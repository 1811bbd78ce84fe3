#pragma once

#include <optional>

#include "placer/search/search.hpp"
#include "search/bounds/step_windows.hpp"

namespace placer {

/// The windows of a step of `step_ps`, for `meet_windows` to aim at. Empty where no op is fixed by
/// them, where they are impossible and, which the observer is told, where the graph is too large.
std::optional<StepWindows> windows_to_meet(const Search& search, const MemoryFit& fit,
                                           Picoseconds step_ps);

/// Simulated annealing of placement and order, from the best so far towards a step in which every
/// op keeps to its window. It minimises the sum of all lateness and not the step time, which does
/// not tell what else is in the way. A fixed number of changes is worked out for each evaluation,
/// so that it repeats itself under a budget of evaluations. It is for order `given` where every
/// device has one slot; elsewhere, and where the windows are impossible, it returns at once.
/// Otherwise it returns when the budget is spent or nothing is late.
void meet_windows(Search& search, const MemoryFit& fit, const StepWindows& windows);

}  // namespace placer
