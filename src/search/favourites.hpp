#pragma once

#include <optional>
#include <vector>

#include "placer/model/problem.hpp"
#include "search/mean_costs.hpp"

namespace placer {

/// Of each op the consumer that should follow it on its device, its favourite child; no op is the
/// favourite of two. They are chosen so that the longest path, on which a transfer to a favourite
/// costs nothing, gets short: the integer program that SCT (Hanen, Munier 1995) relaxes and rounds.
/// Here, instead, all edges of a longest path whose ends are free are chosen, for up to 100 paths,
/// then those that are left by falling length of the longest path through them.
std::vector<std::optional<OpId>> favourite_children(const Problem& problem, const MeanCosts& costs);

}  // namespace placer
