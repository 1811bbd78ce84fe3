#pragma once

#include "placer/model/placement.hpp"
#include "placer/model/problem.hpp"
#include "placer/sim/score.hpp"

namespace placer::testing {

/// The score of a placement under the objectives throughput and call-latency and each contiguity,
/// by the sentences of docs/pipelines.md, in the plainest way; with nothing of the simulator's.
Score goal_referee(const Problem& problem, const Placement& placement);

}  // namespace placer::testing
