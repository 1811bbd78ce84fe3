#pragma once

#include "search/bounds/heads_and_tails.hpp"

namespace placer {

/// Where no single device can hold all of a connected part of the graph, one of its tensors crosses
/// from one device to another: the shortest path through such a crossing, for the worst part. 0
/// where each part fits somewhere.
Picoseconds memory_cut_bound(const Problem& problem, const MemoryFit& fit,
                             const HeadsAndTails& times);

}  // namespace placer
