#pragma once

#include "placer/search/search.hpp"

namespace placer {

/// Improves the best placement so far by small moves, like `refine`, where memory is tight: a
/// change is given room (`Ejection`), and is not simulated if by `EstimatedMemory` it lacks memory
/// all the same. Under the objective latency alone. Returns when nothing gets better any more or
/// the budget is spent, and at once where there is no best placement.
void descend_in_memory(Search& search);

}  // namespace placer
