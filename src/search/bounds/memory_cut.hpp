#pragma once

#include "search/bounds/heads_and_tails.hpp"

namespace placer {

/// A lower bound from memory: where no single device can hold all of a connected part of the graph,
/// one of its tensors has to cross from one device to another. The result is the shortest path that
/// contains such a crossing, for the part where it is longest; 0 where each part fits on some
/// device.
Picoseconds memory_cut_bound(const Problem& problem, const MemoryFit& fit,
                             const HeadsAndTails& times);

}  // namespace placer
