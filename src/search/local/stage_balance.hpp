#pragma once

#include <functional>

#include "placer/search/search.hpp"

namespace placer {

struct StageBalanceOptions {
  std::size_t ops_in_band = 15;             // for each device
  double transfer_weight = 0.05;            // of a second of transfers, in seconds of excess
  std::int64_t proposals = 300;             // for each group
  std::int64_t most_proposals = 1'000'000;  // in all
};

/// A placement that gives every device its share of the work at every stage of the step, with few
/// transfers. It is annealed from a random one, by the cost of `StageLoads` and the weighted time
/// of all transfers. It is good where a step has more work than devices can do at once; chains and
/// memory count for nothing. Takes no evaluations. `progress` is asked now and then how much of the
/// time for this has passed, 1 at the end.
Placement balance_stages(const Problem& problem, const StageBalanceOptions& options, Rng& rng,
                         const std::function<double()>& progress);

/// Scores some of them, which share the budget, from starts of their own.
void try_balanced_stages(Search& search);

}  // namespace placer
