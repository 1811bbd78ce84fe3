#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/report/baselines.hpp"
#include "cli/shared/terminal.hpp"
#include "placer/model/microbatches.hpp"

namespace placer {

/// What a report on a step of several micro-batches says besides.
struct PipelineReport {
  MicroBatches batches;
  std::vector<PipelineStage> stages;
  Problem one;          // of the graph, which is one micro-batch or a part of it
  Placement placement;  // of its groups
  std::optional<Picoseconds> bottleneck_ps = std::nullopt;  // what the busiest device has to do
};

/// The share of the time of the stages' devices, up to the end of the step, in which they do
/// nothing.
double bubble_share(const PipelineReport& pipeline, const Problem& problem,
                    const Schedule& schedule);

/// The most that a device of the stage holds.
std::int64_t peak_bytes(const PipelineStage& stage, const Schedule& schedule);

/// A row for each stage: its times, how long it does nothing, its peak memory.
std::string stage_table(const PipelineReport& pipeline, const Problem& problem,
                        const Schedule& schedule, const Look& look);

/// The fastest device that holds a step of these micro-batches alone, under 1f1b where they have
/// backward ops; `problem` is one micro-batch.
std::optional<SingleDevice> best_single_device(const Problem& problem, const MicroBatches& batches);

}  // namespace placer
