#pragma once

#include "placer/search/search.hpp"

namespace placer {

/// For problems in which memory rules out what list schedules propose: scores `live_list`s that
/// count less and less of the memory, in program order and by upward rank, and makes the most
/// promising of them fit. Nothing of graphs of more than 30,000 ops, for which they take too long.
void try_live_lists(Search& search);

}  // namespace placer
