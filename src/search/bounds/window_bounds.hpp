#pragma once

#include <optional>

#include "placer/model/problem.hpp"
#include "search/bounds/heads_and_tails.hpp"
#include "search/bounds/load_bound.hpp"
#include "search/groups/memory_fit.hpp"

namespace placer {

/// What the bounds below start from.
struct BoundBasis {
  const Problem& problem;
  const MemoryFit& fit;
  const HeadsAndTails& times;
  const LoadBound& load;  // of all groups; its prices are good first ones
};

/// The bound B5. Ops that cannot start before r, and after which at least q follows, share the
/// devices in the time between: r + their load bound + q. The largest such sum over a grid of r and
/// q.
Picoseconds staged_load_bound(const BoundBasis& basis);

/// The bound B6: the least step time, at least `known_ps`, for which, in every interval of a grid,
/// the work that cannot lie outside the interval fits into it (after Fernandez, Bussell 1973, with
/// a price on each device). `known_ps` is a bound already. Empty where the problem is too large for
/// this to be quick.
std::optional<Picoseconds> interval_bound(const BoundBasis& basis, Picoseconds known_ps,
                                          Picoseconds grain_ps);

}  // namespace placer
