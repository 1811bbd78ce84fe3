#pragma once

#include "placer/search/search.hpp"

namespace placer {

struct Start {
  Placement placement;
  OpOrder order;  // empty: by upward rank
};
/// Where a local search begins: at the user's start (`--start`) or, without one, at the best of
/// HEFT's schedules, without contention and with it, of the single devices and, where contiguity is
/// asked for, of an even pipeline. Each of these takes an evaluation. Empty once the budget is
/// spent.
std::optional<Start> local_search_start(Search& search);

/// Where the goal asks for contiguity, scores a pipeline whose longest stage is as short as it can
/// be in one order of the groups and one of the devices (the goal's, or the fastest first), within
/// memory and without copies; none where the devices cannot take all groups in that order.
void try_even_pipeline(Search& search);

/// Scores the single devices, an even pipeline (above) and HEFT's schedule: where a search of few
/// merged groups begins.
void try_plain_starts(Search& search);

/// For where no device holds everything, as what comes and goes is more than the parameters: groups
/// are dealt in program order to all devices by turns, so that each has its share of what is held
/// at any time. First in proportion to memory and, where that fits, by a bisection of `trials`
/// steps as much as fits to the fastest devices. Knows nothing of transfers and takes almost no
/// time but for the evaluations. Scores nothing where the goal asks for contiguity.
void try_dealt_groups(Search& search, int trials = 3);

/// The placement of HEFT; takes no evaluation.
Placement list_scheduled_placement(const Problem& problem);

}  // namespace placer
