#pragma once

#include <cstdint>
#include <vector>

#include "placer/base/names.hpp"
#include "placer/model/problem.hpp"

namespace placer {

/// In which order a stage takes the micro-batches of a step:
///  - gpipe: all forward, then all backward (Huang et al., GPipe, NeurIPS 2019);
///  - 1f1b: stage s of S, from 0, does the forward ops of the first S - s micro-batches, then
///    backward and forward ops in turn, then the backward ops that are left (the flushed schedule
///    of Narayanan et al., Memory-Efficient Pipeline-Parallel DNN Training, ICML 2021).
enum class PipelineSchedule { kGpipe, k1F1B };
constexpr Names<2> names_of(PipelineSchedule) { return {"gpipe", "1f1b"}; }

struct MicroBatches {
  std::int64_t count = 1;
  PipelineSchedule schedule = PipelineSchedule::kGpipe;
};

/// A device with ops that run once for each micro-batch.
struct PipelineStage {
  DeviceId device;
  Picoseconds forward_ps = 0, backward_ps = 0;  // of one micro-batch
  Picoseconds update_ps = 0;                    // at the end of the step
};

/// A step of several micro-batches, and in which order each device takes its ops. Under order
/// `given` the simulator says how long it takes and what each stage holds at most.
struct MicroBatchPipeline {
  Problem problem;  // its groups are those of one micro-batch: the same placements fit both
  Sequences sequences;
  std::vector<PipelineStage> stages;  // in their order
};

inline constexpr std::int64_t kMostUnrolledOps = 2'000'000;

/// Whether each op of `graph` runs once in a step and not for each micro-batch: backward ops whose
/// type or name ends in "_update", and "add_n" and "all_reduce" ops that only those read, as long
/// as no other op reads their results.
std::vector<char> runs_once(const Graph& graph);

/// The step of `batches.count` micro-batches under `placement`. The problem's graph is ONE
/// micro-batch: its times and bytes are not divided. Micro-batch m has copies of its ops called
/// "m3/NAME"; ops that run once keep their names and run last. Parameters are held once. A tensor
/// of a micro-batch that an op reads which runs once is summed where it is made: each micro-batch
/// adds to the sum of those before it, in no time of its own, and the last sum is what is read. All
/// else that is held from forward to backward ops are the tensors themselves.
///
/// Throws Error for no micro-batch, for more than kMostUnrolledOps ops in all, for 1f1b without
/// backward ops, for a forward op that reads from a backward op, and for devices that do not follow
/// each other: forward ops may read from earlier stages only, backward ops from later ones only
/// (but from any forward op).
MicroBatchPipeline pipelined(const Problem& problem, const Placement& placement,
                             const MicroBatches& batches);

}  // namespace placer
