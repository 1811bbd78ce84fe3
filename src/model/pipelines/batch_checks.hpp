#pragma once

#include "model/pipelines/stage_order.hpp"
#include "placer/model/microbatches.hpp"

namespace placer {

/// Throws Error for no micro-batch, for too many, and for a schedule that the graph does not allow.
void check_batches(const Problem& problem, const MicroBatches& batches);

/// Throws Error where no device has several chunks, where micro-batches do not make whole rounds,
/// and for replicas.
void check_rounds(const DealtChunks& dealt, const MicroBatches& batches);

}  // namespace placer
