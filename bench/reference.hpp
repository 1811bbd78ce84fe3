#pragma once

#include "placer/model/problem.hpp"
#include "placer/sim/score.hpp"

namespace placer::bench {

/// The sum of all op and transfer times in one pass over the graph: the least that any evaluation
/// reads. A yardstick of the machine.
Picoseconds one_pass_sum(const Problem& problem, const Placement& placement);

/// The score by a textbook event loop: one priority queue of events, one of ready ops for each
/// device, held bytes followed from instant to instant, containers made afresh. Order `fifo`,
/// contention `link` or `none`, one slot, and no two events at the same instant but at the start.
Score textbook_score(const Problem& problem, const Placement& placement);

}  // namespace placer::bench
