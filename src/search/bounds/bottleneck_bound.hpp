#pragma once

#include "search/groups/memory_fit.hpp"

namespace placer {

/// A lower bound on the bottleneck under throughput that sees copies and that groups cannot be cut,
/// at least `known_ps`. Supposes a bottleneck: what an accelerator has beside a group then computes
/// no longer than the copies leave it, which are at least those of the least cut around the group.
/// So the group takes a share of an accelerator, of which those of its groups fill no more than the
/// whole, nor more than so many of them that are larger than a part of it (a dual feasible
/// function, Fekete, Schepers 2001). The largest bottleneck with more work than the devices can
/// share, found by bisection. Throws Stopped.
Picoseconds bottleneck_bound(const Problem& problem, const MemoryFit& fit, Picoseconds known_ps);

}  // namespace placer
