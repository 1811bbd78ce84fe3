#pragma once

#include <optional>

#include "placer/model/problem.hpp"
#include "search/bounds/load_bound.hpp"
#include "search/groups/memory_fit.hpp"
#include "search/joins/heads_and_tails.hpp"

namespace placer {

/// What the bounds below start from.
struct BoundBasis {
  const Problem& problem;
  const MemoryFit& fit;
  const HeadsAndTails& times;
  const LoadBound& load;       // of all groups; its prices are good first ones
  const LoadBound& in_memory;  // the same, with prices of memory where that may bind
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

/// The bound B7. Work, paths and memory together: groups may be split over devices at will, but
/// what they take of a path counts wherever they are, and what they hold has to fit. Where a step
/// of time T leaves a group no time on a device (its head, its own work and its tail there pass T),
/// it cannot be there, so that T is too short if what remains takes longer; the largest such T is
/// looked for by bisection (after Lenstra, Shmoys, Tardos 1990). `known_ps` is a bound already.
Picoseconds short_step_bound(const BoundBasis& basis, Picoseconds known_ps);

}  // namespace placer
