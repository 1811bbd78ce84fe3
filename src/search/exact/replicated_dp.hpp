#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "placer/model/microbatches.hpp"
#include "search/exact/down_sets.hpp"

namespace placer {

/// A step for which stages are chosen.
struct ReplicatedStep {
  std::int64_t micro_batches = 1;
  PipelineSchedule schedule = PipelineSchedule::kGpipe;
  std::size_t devices = 0;  // of all stages; 0: any number, and stages hold one micro-batch
  double held_share = 1;    // of the micro-batches that the schedule holds; 0: parameters only
  std::size_t most_replicas = 1;  // devices of a stage
  bool mixes = false;             // kinds of devices that are at most twice as slow as the fastest
};

/// Stages of a pipeline, the devices that share each of them, and how long the busiest of these has
/// to do for a step.
struct ReplicatedPipeline {
  Placement placement;
  Replicas replicas;
  Picoseconds bottleneck_ps = 0;
};

/// The best pipelines along some down-sets, one for each number of stages that has one, by rising
/// number: dynamic programming over down-sets, the devices used so far and the number of stages
/// (Tarnawski et al., NeurIPS 2020, section 5.1; replicas as in PipeDream, Narayanan et al., SOSP
/// 2019, section 3.1). Memory is that of StageCosts::room. A stage goes to several devices of a
/// kind, that come next in the order of their ids; each has its share of the micro-batches, rounded
/// up, all that runs once, and their ring. Of a tensor that leaves a stage it is as in StageCosts.
/// Where kinds are mixed, all of these count as the slowest of them while stages are chosen; empty
/// where there is nothing to mix, or some group may not go everywhere. Where the table would grow
/// too large, numbers of stages are not told apart; empty where it is too large even so. Throws
/// Stopped.
std::vector<ReplicatedPipeline> replicated_pipelines(const Problem& problem,
                                                     const std::vector<PipelineUnit>& units,
                                                     const DownSets& sets,
                                                     const ReplicatedStep& step);

/// How long the busiest of the devices `team`, which share a stage of `own` units, has to do for a
/// step, their ring included. Throws Error where no link joins them.
Picoseconds stage_load_ps(const Problem& problem, const std::vector<PipelineUnit>& units,
                          std::span<const std::uint32_t> own, std::span<const DeviceId> team,
                          std::int64_t micro_batches);

}  // namespace placer
