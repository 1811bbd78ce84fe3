#pragma once

#include "placer/search/search.hpp"

namespace placer {

/// Walks from the best placement so far: a random group adopts the device of a random neighbour,
/// kept unless worse. Returns when the budget is spent, nothing moves any more, or the best is
/// worse in these groups.
void refine(Search& search);

}  // namespace placer
