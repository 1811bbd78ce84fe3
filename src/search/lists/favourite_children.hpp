#pragma once

#include <optional>
#include <vector>

#include "placer/model/problem.hpp"
#include "search/groups/mean_costs.hpp"

namespace placer {

/// For each op its favourite child, the consumer that should follow it on its device; no op is the
/// favourite child of two. A transfer to a favourite child counts as free, and the favourites are
/// chosen so that the longest path gets short: this is the integer program of SCT (Hanen, Munier
/// 1995).
using FavouriteChildren = std::vector<std::optional<OpId>>;

/// Chooses favourites along longest paths. On each of up to 100 longest paths all edges whose ends
/// are still free are chosen, then the edges that are left, those with the longest path through
/// them first.
FavouriteChildren favourites_along_paths(const Problem& problem, const MeanCosts& costs);

/// Chooses favourites by the program, which is relaxed, solved and rounded as in Baechi (Jeon et
/// al. 2020). Empty for graphs of more than `kMostOpsForProgram` ops, where that takes too long,
/// and in a build without a solver.
std::optional<FavouriteChildren> favourites_by_program(const Problem& problem,
                                                       const MeanCosts& costs);
inline constexpr std::size_t kMostOpsForProgram = 5'000;

}  // namespace placer
