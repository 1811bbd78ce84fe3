#pragma once

#include "search/bounds/heads_and_tails.hpp"

namespace placer {

/// A lower bound from memory: what no single device can hold is cut, and the cuts of a path are on
/// it. The path is one along which groups hold much. However it is placed, it falls into runs of
/// ops on one device, each of which has room for what the groups of its run hold at once, and from
/// run to run a tensor is sent. The result is the shortest time that the path so takes, by dynamic
/// programming over where its runs end; 0 where every device holds all of it.
Picoseconds memory_cut_bound(const Problem& problem, const MemoryFit& fit,
                             const HeadsAndTails& times);

}  // namespace placer
