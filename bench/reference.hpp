#pragma once

#include "placer/model/problem.hpp"

namespace placer::bench {

/// The sum of all op and transfer times in one pass over the graph: the least that any evaluation
/// reads. A yardstick of the machine.
Picoseconds one_pass_sum(const Problem& problem, const Placement& placement);

/// The step time by a textbook event loop: one priority queue of events, one of ready ops for each
/// device, containers made afresh. Order `fifo`, contention `link` or `none`, one slot, no memory,
/// and no two events at the same instant but at the start.
Picoseconds textbook_step(const Problem& problem, const Placement& placement);

}  // namespace placer::bench
