#pragma once

#include <optional>
#include <vector>

#include "placer/model/problem.hpp"
#include "search/groups/mean_costs.hpp"

namespace placer {

/// Of each op the consumer that should follow it on its device, its favourite child; no op is the
/// favourite of two. They are chosen so that the longest path, on which a transfer to a favourite
/// costs nothing, gets short: the integer program of SCT (Hanen, Munier 1995).
using FavouriteChildren = std::vector<std::optional<OpId>>;

/// All edges of a longest path whose ends are free are chosen, for up to 100 paths, then those that
/// are left by falling length of the longest path through them.
FavouriteChildren favourites_along_paths(const Problem& problem, const MeanCosts& costs);

/// The program is relaxed, solved and rounded as Baechi does (Jeon et al. 2020); empty for graphs
/// of more than `kMostOpsForProgram` ops, where that takes too long, and in a build without a
/// solver.
std::optional<FavouriteChildren> favourites_by_program(const Problem& problem,
                                                       const MeanCosts& costs);
inline constexpr std::size_t kMostOpsForProgram = 5'000;

}  // namespace placer
