#pragma once

#include <algorithm>
#include <array>
#include <optional>

#include "cli/shared/config.hpp"
#include "placer/model/microbatches.hpp"

namespace placer {

/// A step of several micro-batches, instead of one of the graph.
struct BatchFlags {
  std::optional<std::int64_t> microbatches;
  std::optional<PipelineSchedule> schedule;
};
inline constexpr std::array<FlagRow<BatchFlags>, 2> kBatchFlags = {
    flag("microbatches", &BatchFlags::microbatches, 1,
         "a step of this many micro-batches, each of which is the graph, in a pipeline of the "
         "placement's devices; updates run once, at the end"),
    choice_flag<&BatchFlags::schedule>(
        "schedule",
        "in which order a stage takes the micro-batches; 1f1b by default where the graph has "
        "backward ops, else gpipe"),
};

inline PipelineSchedule usual_schedule(const Graph& graph) {
  return std::ranges::any_of(graph.ops(), &Op::backward) ? PipelineSchedule::k1F1B
                                                         : PipelineSchedule::kGpipe;
}

}  // namespace placer
