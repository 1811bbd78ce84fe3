#pragma once

#include <cstddef>
#include <vector>

#include "placer/model/problem.hpp"
#include "placer/sim/schedule.hpp"

namespace placer {

/// What the step waited for, without a gap from time 0 to the end of the step: each op of the path
/// began when the op or transfer before it ended, and so did each transfer.
struct CriticalPath {
  std::vector<OpId> ops;               // by time
  std::vector<std::size_t> transfers;  // positions in the schedule's transfers, by time
};

/// Walks back from the op that ends last, of several the one with the lowest id. An op waited for
/// the input that came last or, where all had come before, for its device to be free; a transfer
/// waited for its producer or for an earlier transfer on one of its channels.
CriticalPath critical_path(const Problem& problem, const Schedule& schedule);

}  // namespace placer
