#pragma once

#include <vector>

#include "placer/search/search.hpp"

namespace placer {

struct MultilevelOptions {
  std::int64_t coarsest = 40;  // groups of the first level
  double factor = 3;           // how many times more each further level has
  double finest_share = 0.3;   // of the budget, for the problem's own groups
};

/// Anneals on the coarsest of `levels`, which `coarse_levels` made, then on ever finer ones and on
/// the search's own groups, with the whole budget. Each level starts from the best of the level
/// before, the first from single devices, a list schedule and `search.start()`.
void search_levels(Search& search, const std::vector<Problem>& levels,
                   const MultilevelOptions& options);

/// One round of iterated multilevel refinement with the whole budget, from the search's best
/// placement: anneals from few groups to the search's own, over levels that all can express the
/// best, and not so hot that it is lost (Walshaw, "Multilevel Refinement for Combinatorial
/// Optimisation Problems", Annals of Operations Research 131, 2004).
void improve_levels(Search& search);

}  // namespace placer
