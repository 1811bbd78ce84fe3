#pragma once

#include "placer/search/search.hpp"

namespace placer {

struct Start {
  Placement placement;
  OpOrder order;  // empty: by upward rank
};
/// Where a local search begins: `--start` or, without one, the best of HEFT's schedules, without
/// contention and with it, and the single devices, which cost an evaluation each; empty once the
/// budget is spent.
std::optional<Start> local_search_start(Search& search);

/// Devices filled one after the other, the fastest first, with the groups in program order, in one
/// placement from the first group on, in one by turns from either end, and in one from the last:
/// few transfers, for where memory is short. What finds no room goes where most is left.
std::vector<Placement> contiguous_fills(const Problem& problem);

/// HEFT's placement; costs no evaluation.
Placement list_scheduled_placement(const Problem& problem);

}  // namespace placer
