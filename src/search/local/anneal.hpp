#pragma once

#include "placer/search/search.hpp"

namespace placer {

/// Temperatures are in units of the mean time that a group keeps its device busy.
struct AnnealOptions {
  double temperature = 0.5;         // at first
  double final_temperature = 0.01;  // when the budget ends
  std::int64_t candidates = 2;      // changes drawn for each one that is proposed
  double cycle = 300;  // evaluations for each group before it is heated again, at least
};

/// Simulated annealing of placement and order from `start` with the whole budget of `search`: draws
/// changes along the critical path and takes one that is worse by d with probability exp(-d / T)
/// (Metropolis), T falling geometrically with the share of the budget that is used; in long budgets
/// several times, each time from the best. Changes whose estimate, of time and of memory that would
/// lack (`EstimatedMemory`), is worse than what would be taken are not evaluated; where the
/// schedule after a change has to be read from the simulator, that counts as an evaluation. Under
/// call-latency the changes are those of CallMoves, which need no schedule. An empty `order`
/// stands, under order `given`, for each device's ops by upward rank. Returns when the budget is
/// spent or nothing moves any more.
void anneal_from(Search& search, Placement start, const OpOrder& order,
                 const AnnealOptions& options = {});

}  // namespace placer
