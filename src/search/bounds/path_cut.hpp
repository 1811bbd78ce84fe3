#pragma once

#include "placer/sim/simulator.hpp"
#include "search/joins/heads_and_tails.hpp"

namespace placer {

/// A lower bound from what one device cannot do of a path: hold it, or do its work in time. The
/// path's groups are seen as a chain. However they are placed, the chain falls into runs of groups
/// on one device, and wherever one run ends, the path sends a tensor, once or, as in a training
/// step, there and back. A run has room for what its groups hold at once, its device does all of
/// its groups' work within the step, and what `sides_of_path` says delays the path in it. The
/// result is the least step time in which the path ends, by bisection and, for each step time, by
/// dynamic programming over where runs end. Of two paths, the longest and one along which groups
/// hold much; `known_ps`, a bound already, where it is not exceeded.
Picoseconds path_cut_bound(const Problem& problem, const MemoryFit& fit, const HeadsAndTails& times,
                           Order order, Picoseconds known_ps);

}  // namespace placer
