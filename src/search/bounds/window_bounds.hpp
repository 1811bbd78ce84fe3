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

/// Ops that start at r or later and have q or more after them share the devices between:
/// r + load bound of them + q, over a grid of r and q.
Picoseconds staged_load_bound(const BoundBasis& basis);

/// The least step time for which, in every interval of a grid, the work that cannot be outside of
/// it fits into it (after Fernandez, Bussell 1973, with a price on each device): at least
/// `known_ps`, a bound. Empty where the problem is too large for this to be quick.
std::optional<Picoseconds> interval_bound(const BoundBasis& basis, Picoseconds known_ps,
                                          Picoseconds grain_ps);

}  // namespace placer
