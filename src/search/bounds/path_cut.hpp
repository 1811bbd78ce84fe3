#pragma once

#include "placer/sim/simulator.hpp"
#include "search/joins/heads_and_tails.hpp"

namespace placer {

/// A lower bound from what one device cannot do of the longest path: hold it, or do its work in
/// time. The path's groups are seen as a chain. However they are placed, the chain falls into runs
/// of groups on one device, and wherever one run ends, the path sends a tensor, once or, as in a
/// training step, there and back. A run has room for what its groups hold at once, and time for all
/// their work, and `sides_of_path` and `branches_of_path` say what delays the path in it. The
/// result is the least step time in which the path ends, by bisection and, for each step time, by
/// dynamic programming over where runs end; 0 where that is not above `known_ps`, a bound already.
Picoseconds path_cut_bound(const Problem& problem, const MemoryFit& fit, const HeadsAndTails& times,
                           Order order, Picoseconds known_ps);

}  // namespace placer
