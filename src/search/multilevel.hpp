#pragma once

#include "placer/search/search.hpp"

namespace placer {

struct MultilevelOptions {
  std::int64_t coarsest = 40;  // groups of the first level
  double factor = 3;           // how many times more each further level has
  double finest_share = 0.3;   // of the budget, for the last level
};

/// Searches on few groups, then splits them level by level down to the problem's own, searching
/// again after each split from the best so far. The first level starts from single devices, a list
/// schedule and `search.start()`.
void search_levels(Search& search, const MultilevelOptions& options);

}  // namespace placer
