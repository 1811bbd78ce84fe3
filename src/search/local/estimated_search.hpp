#pragma once

#include "placer/search/search.hpp"

namespace placer {

/// Improves the best placement by annealings in which an estimate (EstimatedStep) stands for the
/// simulator: in coarse levels of the groups first, each from where the one before ended, then in
/// the search's own. After each annealing the placement is made to fit where it is possible, and
/// simulated; its schedule is what the next estimate begins with, as long as that gains. One
/// annealing takes as long as some hundred evaluations, and counts as so many, but tries many times
/// as many moves: where there is time for a few evaluations of each group only, nothing else gets
/// as far. Does nothing before there is a best, and where EstimatedStep does not serve.
void search_by_estimate(Search& search);

}  // namespace placer
