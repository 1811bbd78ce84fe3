#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "placer/base/observer.hpp"
#include "placer/model/microbatches.hpp"
#include "placer/sim/score.hpp"

namespace placer {

/// A step of so many micro-batches of the problem's graph, and what may be chosen for it.
struct PipelineRequest {
  std::int64_t graphs = 1;
  PipelineSchedule schedule = PipelineSchedule::kGpipe;
  std::size_t most_replicas = std::numeric_limits<std::size_t>::max();  // devices of a stage
  std::int64_t most_merged = kMostMerged;                               // graphs of a micro-batch
  bool all_sets = true;  // stages may be any contiguous ones, not only along one order of groups
};

/// What was chosen, its score as the step of `pipelined`, and how long its busiest device has to
/// do.
struct ChosenPipeline {
  Placement placement;
  MicroBatches batches;
  Score score;
  Picoseconds bottleneck_ps = 0;
};

/// The stages, their replicas and the size of micro-batches under which a step takes the least time
/// in the simulator, of all that replicated_pipelines proposes and of what is found near to it: for
/// each size of micro-batches that divides the step, for each number of stages the pipeline whose
/// busiest device has the least to do, with memory for one micro-batch; where not all of these fit,
/// also for each number of devices, with memory for as many as the schedule makes stages hold, and
/// for some more or fewer; where that proposes none, with memory for the parameters. From the best
/// of each number of stages it descends, by the simulator's scores: units go to the stage before or
/// behind, devices change places, join or leave; then again and again from a few such changes at
/// random. What does not fit is worse than all that does. At most 200,000 down-sets, else along one
/// order of the groups. Empty where the tables would be too large for the devices, where no stages
/// hold the parameters, and where none was found that fits nor any by estimate. The problem's
/// deadline ends it with the best so far. Throws Error for no micro-batch, for schedules as
/// `pipelined` does of all that is proposed, for interleaved, and where the goal gives an order of
/// stages.
std::optional<ChosenPipeline> best_pipeline(const Problem& problem, const PipelineRequest& request,
                                            const Observer& observer = {});

}  // namespace placer
