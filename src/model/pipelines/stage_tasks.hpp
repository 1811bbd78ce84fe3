#pragma once

#include <cstddef>
#include <vector>

#include "placer/model/microbatches.hpp"

namespace placer {

enum class TaskPhase { kForward, kBackward, kWeights };

/// What a stage does for one micro-batch in one go.
struct StageTask {
  TaskPhase phase = TaskPhase::kForward;
  std::size_t chunk = 0;
  std::size_t batch = 0;
  friend bool operator==(const StageTask&, const StageTask&) = default;
};

/// Where a stage stands: how many devices earlier stages have, and how many it has itself together
/// with those behind it.
struct StagePlace {
  std::size_t before = 0, from_here = 1;
  std::size_t chunks = 1;  // of each device, if interleaved
};

/// The tasks of a stage in their order, for `count` micro-batches, which under interleaved are
/// whole rounds. kWeights are there under zero-bubble only.
std::vector<StageTask> stage_tasks(PipelineSchedule schedule, const StagePlace& place,
                                   std::size_t count);

/// Of how many micro-batches a stage holds activations at once, at most, of each of its `team`
/// devices; for every schedule but interleaved.
std::size_t most_in_flight(PipelineSchedule schedule, const StagePlace& place, std::size_t count,
                           std::size_t team);

}  // namespace placer
