#pragma once

#include "placer/search/search.hpp"

namespace placer {

/// Improves the best placement so far by small moves: a random group, at times together with a
/// neighbour, goes to the device of a neighbour or to any device, and stays there unless that is
/// worse. Returns true when nothing gets better any more, false when the budget is spent, and at
/// once where the best cannot be expressed in these groups.
bool refine(Search& search);

}  // namespace placer
