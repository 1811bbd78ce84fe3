#include "model/pipelines/batch_checks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "placer/base/errors.hpp"

namespace placer {

void check_batches(const Problem& problem, const MicroBatches& batches) {
  if (batches.count < 1) {
    throw Error(fmt::format("micro-batches: expected at least 1, found {}", batches.count));
  }
  const std::int64_t most = kMostUnrolledOps / static_cast<std::int64_t>(problem.op_count());
  if (batches.count > std::max<std::int64_t>(most, 1)) {
    throw Error(fmt::format("micro-batches: expected at most {} of {} ops each, found {}", most,
                            problem.op_count(), batches.count));
  }
  const bool has_backward = std::ranges::any_of(problem.graph().ops(), &Op::backward);
  if (batches.schedule != PipelineSchedule::kGpipe && !has_backward) {
    throw Error(
        fmt::format("schedule: expected gpipe for a graph without backward ops, found {}, which "
                    "needs them",
                    name_of(batches.schedule)));
  }
}

void check_rounds(const DealtChunks& dealt, const MicroBatches& batches) {
  if (dealt.chunks < 2) {
    throw Error(
        "placement: expected devices that take turns for interleaved, each with several chunks of "
        "the model, found one chunk on each");
  }
  if (static_cast<std::size_t>(batches.count) % dealt.devices.size() != 0) {
    throw Error(fmt::format(
        "micro-batches: expected a multiple of {}, the devices, for interleaved, found {}",
        dealt.devices.size(), static_cast<std::size_t>(batches.count)));
  }
  if (batches.has_replicas()) {
    throw Error("schedule: expected another one than interleaved for stages with replicas");
  }
}

}  // namespace placer
