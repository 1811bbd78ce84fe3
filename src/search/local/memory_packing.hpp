#pragma once

#include <vector>

#include "placer/search/search.hpp"
#include "search/bounds/path_prices.hpp"

namespace placer {

/// Placements for problems in which memory sends groups to slow devices. Groups that are split over
/// devices at will, as by the bound B7, whose `prices` these are, say which kind of device each
/// belongs to; what is too much for a kind leaves it, first what loses least for its bytes. Devices
/// of a kind are filled one after the other in program order, the largest groups first to get their
/// wish. There is a placement for each of some shares of the memory that are left free for what
/// comes and goes; none where no device can be too full or where the graph is too large.
/// Throws Stopped when the problem's deadline has passed.
std::vector<Placement> memory_packings(const Problem& problem, const MemoryFit& fit,
                                       const PathPrices& prices);

/// Scores all of them, and makes the best fit where that holds a little too much.
void try_memory_packings(Search& search, const std::vector<Placement>& packings);

}  // namespace placer
