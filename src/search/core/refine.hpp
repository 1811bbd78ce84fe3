#pragma once

#include "placer/search/search.hpp"

namespace placer {

/// Walks from the best placement so far: a random group, at times with a neighbour, goes to the
/// device of a neighbour or to any, kept unless worse. Returns when the budget is spent, nothing
/// moves any more, or the best cannot be expressed in these groups.
void refine(Search& search);

}  // namespace placer
