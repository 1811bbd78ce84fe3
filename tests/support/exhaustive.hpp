#pragma once

#include "placer/model/placement.hpp"
#include "placer/model/problem.hpp"
#include "placer/sim/score.hpp"
#include "placer/sim/simulator.hpp"

namespace placer::testing {

struct Best {
  Placement placement;  // the first in lexicographic order of those with the best score
  Score score;
};

/// The best of all placements, by the referee: for problems with few of them.
Best exhaustive_best(const Problem& problem, Order order = Order::kFifo);

/// The best of all placements and all orders of ops, by the simulator under order `given`: for
/// problems with five ops or so.
Score exhaustive_best_order(const Problem& problem);

}  // namespace placer::testing
