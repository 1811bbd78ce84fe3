#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "placer/model/microbatches.hpp"

namespace placer {

/// How fast messages between two kinds of unit are: a*log2(MB)^2 + b*log2(MB) + c GB/s for MB
/// megabytes (1e6 bytes), but no more than `most_bytes_per_second`; messages below 1 MB are as slow
/// as those of 1 MB.
struct MessageSpeed {
  std::string from, to;
  double a = 0, b = 0, c = 0;
  double most_bytes_per_second = 0;
};

/// A layer on a unit, for one micro-batch. Bytes are of one of the unit's GPUs.
struct UnitLayer {
  double forward_seconds = 0, backward_seconds = 0, update_seconds = 0;
  std::int64_t held_bytes = 0;        // for the whole step: weights, gradients, optimizer state
  std::int64_t gradient_bytes = 0;    // what replicas sum at the end
  std::int64_t activation_bytes = 0;  // from the forward to the backward op
  std::int64_t output_bytes = 0;      // what the next stage needs
};

/// GPUs that work together on a layer by tensor parallelism, as one device with times of its own.
struct PlanUnit {
  std::string name;
  std::int64_t gpus = 1;
  std::int64_t memory_bytes = 0, fixed_bytes = 0;  // of one GPU
  double update_seconds = 0;                       // of a stage, besides those of its layers
  std::vector<UnitLayer> layers;
};

struct PlannedStage {
  std::size_t layers = 0;             // how many of the model's, behind those of earlier stages
  std::vector<std::size_t> replicas;  // positions in the units
};

/// The contents of a `placer-pipeline` file.
struct PipelinePlan {
  std::string name;
  PipelineSchedule schedule = PipelineSchedule::k1F1B;
  std::int64_t micro_batch = 1, global_batch = 1;  // samples
  bool blocking_sends = false;
  double staging_bytes_per_second = 0;  // 0: messages are not staged
  std::vector<PlanUnit> units;
  std::vector<MessageSpeed> network;
  std::vector<PlannedStage> stages;
};

/// One micro-batch of a plan on devices "stage0", "stage1", ..., and which op is on which.
struct PlannedStep {
  Graph graph;
  Topology topology;
  std::vector<DeviceId> device_of;  // by op
  std::int64_t micro_batches = 1;   // of a step
};

/// All stages have equally many replicas. A stage is as slow as its slowest replica and holds as
/// much as the fullest of their GPUs. A message between stages takes as long as that of the slowest
/// pair of replicas of one position. Where sends block, sender and receiver are busy for as long.
/// Replicas sum their gradients at the end in a ring: of R replicas, 2 (R - 1) messages of 1/R of
/// the gradients of all GPUs of a unit, each over the slowest link. Throws Error for units that no
/// network joins and speeds that are not positive.
PlannedStep planned_step(const PipelinePlan& plan);

}  // namespace placer
