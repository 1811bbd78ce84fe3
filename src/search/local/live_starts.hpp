#pragma once

#include "placer/search/search.hpp"

namespace placer {

/// Ops times devices; of more, these take seconds each.
inline constexpr std::size_t kMostPairsOfLiveLists = 2'000'000;

/// For problems in which memory rules out what list schedules propose: scores `live_list`s that
/// count less and less of the memory, in program order and by upward rank, and makes the most
/// promising of them fit. Uses `share` of what is left of the budget after the first, which is
/// scored in any case.
void try_live_lists(Search& search, double share);

}  // namespace placer
