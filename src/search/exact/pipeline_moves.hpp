#pragma once

#include <cstdint>
#include <vector>

#include "search/exact/replicated_dp.hpp"
#include "search/groups/pipeline_units.hpp"

namespace placer {

/// Stages of a pipeline as what can be moved: the stage of each unit, and the devices of each
/// stage, of which the first stands for the others in a placement.
struct StagePlan {
  std::vector<std::size_t> stage_of;         // by unit
  std::vector<std::vector<DeviceId>> teams;  // by stage, none empty
};

StagePlan plan_of(const std::vector<PipelineUnit>& units, const ReplicatedPipeline& pipeline);

/// Without its bottleneck, which takes longer than all else.
ReplicatedPipeline pipeline_of(const Problem& problem, const std::vector<PipelineUnit>& units,
                               const StagePlan& plan);
/// How long the busiest device has to do for a step of so many micro-batches.
Picoseconds bottleneck_ps(const Problem& problem, const std::vector<PipelineUnit>& units,
                          const StagePlan& plan, std::int64_t micro_batches);

/// Which plans near another are asked for.
struct NearPlans {
  std::size_t most_replicas;  // devices of a stage
  std::size_t most;           // plans: the first of more
};

/// All plans that differ in one thing: a unit goes to the stage before or after its own, two stages
/// change their devices, a device gives way to one that is not used, joins a stage or leaves it.
/// Every unit stays behind those before it.
std::vector<StagePlan> plans_near(const Problem& problem, const std::vector<PipelineUnit>& units,
                                  const StagePlan& plan, const NearPlans& wanted);

}  // namespace placer
