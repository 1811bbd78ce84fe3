#pragma once

#include "cli/commands/batch_flags.hpp"
#include "cli/shared/request.hpp"

namespace placer {

/// The flags of a search for the pipeline of a step of several micro-batches.
struct PipelineFlags {
  std::optional<std::int64_t> microbatches, replicas;
  std::optional<PipelineSchedule> schedule;
};
inline constexpr std::array<FlagRow<PipelineFlags>, 3> kPipelineFlags = {
    flag("microbatches", &PipelineFlags::microbatches, 1,
         "with --objective throughput: choose stages, the devices that share each of them and the "
         "size of micro-batches together, for a step that is this many times the graph"),
    flag("replicas", &PipelineFlags::replicas, 1,
         "how many devices may share a stage at most; any number by default"),
    choice_flag<&PipelineFlags::schedule>(
        "schedule",
        "in which order a stage takes the micro-batches, but for interleaved, which only simulate "
        "takes; 1f1b by default where the graph has backward ops, else gpipe"),
};

/// Whether the line asks for that. Throws Error where flags do not go together.
bool asks_for_pipeline(const Arguments& arguments);

/// Searches, writes and prints; the exit code.
int optimize_pipeline(const Arguments& arguments, Console& console);

}  // namespace placer
