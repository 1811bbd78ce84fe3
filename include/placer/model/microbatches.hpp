#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "placer/base/names.hpp"
#include "placer/model/problem.hpp"

namespace placer {

/// In which order a stage takes the micro-batches of a step:
///  - gpipe: all forward, then all backward (Huang et al., GPipe, NeurIPS 2019);
///  - 1f1b: stage s of S, from 0, does the forward ops of the first S - s micro-batches, then
///    backward and forward ops in turn, then the backward ops that are left (the flushed schedule
///    of Narayanan et al., Memory-Efficient Pipeline-Parallel DNN Training, ICML 2021);
///  - interleaved: the same where a device has several chunks of the model, which are dealt to the
///    devices in turn: micro-batches go through a chunk in rounds of as many as there are devices
///    (Narayanan et al., Efficient Large-Scale Language Model Training, SC 2021, section 2.2);
///  - zero-bubble: 1f1b, where stage s does the ops that nothing but updates waits for, the
///    gradients of its weights, s micro-batches behind its other backward ops (ZB-H1 of Qi et al.,
///    Zero Bubble Pipeline Parallelism, ICLR 2024).
enum class PipelineSchedule { kGpipe, k1F1B, kInterleaved, kZeroBubble };
constexpr Names<4> names_of(PipelineSchedule) {
  return {"gpipe", "1f1b", "interleaved", "zero-bubble"};
}

/// By device, the other devices that do what it does, each for its share of the micro-batches; a
/// device behind the last has none.
using Replicas = std::vector<std::vector<DeviceId>>;

struct MicroBatches {
  std::int64_t count = 1;
  PipelineSchedule schedule = PipelineSchedule::kGpipe;
  std::int64_t merged = 1;  // each is so many of the graph's (enlarged)
  Replicas replicas = {};

  bool has_replicas() const {
    return std::ranges::any_of(replicas, [](const auto& others) { return !others.empty(); });
  }
};

/// A device with ops that run once for each micro-batch, and its replicas. Times are the device's.
struct PipelineStage {
  DeviceId device;
  Picoseconds forward_ps = 0, backward_ps = 0;  // of one micro-batch, all chunks
  Picoseconds update_ps = 0;                    // at the end of the step
  Picoseconds weights_ps = 0;                   // under zero-bubble, of one micro-batch
  Picoseconds reduce_ps = 0;                    // at the end of the step, between replicas
  std::size_t chunks = 1;                       // that hold ops; more than one if interleaved
  std::vector<DeviceId> replicas = {};          // besides the device
};

/// A step of several micro-batches, and in which order each device takes its ops. Under order
/// `given` the simulator says how long it takes and what each stage holds at most.
struct MicroBatchPipeline {
  Problem problem;      // without replicas, its groups are those of one micro-batch
  Placement placement;  // of its groups
  Sequences sequences;
  std::vector<PipelineStage> stages;  // in their order
};

inline constexpr std::int64_t kMostUnrolledOps = 2'000'000;
inline constexpr std::int64_t kMostMerged = 65'536;

/// Whether each op of `graph` runs once in a step and not for each micro-batch: backward ops whose
/// type or name ends in "_update", and "add_n" and "all_reduce" ops that only those read, as long
/// as no other op reads their results.
std::vector<char> runs_once(const Graph& graph);

/// Whether an op for each micro-batch makes the tensor, and one that runs once (`once`, by op)
/// reads it.
bool is_gradient_sum(const std::vector<char>& once, const Tensor& tensor);

/// By op, what replicas of its device sum at the end of a step: those of its results that ops read
/// which run once; where no op of the graph does, as many bytes as it has parameters; nothing in
/// inference.
std::vector<std::int64_t> gradient_bytes_by_op(const Graph& graph, const std::vector<char>& once);

/// What devices take to sum `bytes` that each of them has, in a ring: of R devices, 2 (R - 1)
/// messages of 1/R of the bytes, each over the slowest link from one to the next (Patarasuk and
/// Yuan, Bandwidth Optimal All-Reduce Algorithms, JPDC 2009). No time for no bytes. Throws Error
/// where no link joins them.
double ring_seconds(const Topology& topology, std::span<const DeviceId> ring, std::int64_t bytes);

/// `factor` micro-batches as one: what an op computes, reads, writes and needs while it runs grows
/// with it, and so do tensors; parameters do not, nor ops that run once, what these read, and what
/// ops without inputs hand on of their parameters. Measured seconds grow with it, too: what a
/// device gains by larger batches only flops and bytes tell.
Graph enlarged(const Graph& graph, std::int64_t factor);

/// The same problem with each micro-batch so large; the groups stay. Throws Error where that is too
/// large for a graph.
Problem with_merged(const Problem& problem, std::int64_t merged);

/// The step of `batches.count` micro-batches under `placement`. The problem's graph is ONE
/// micro-batch, or one of `merged` parts of it: its times and bytes are not divided. Micro-batch m
/// has copies of its ops called "m3/NAME"; ops that run once keep their names and run last.
/// Parameters are held once. A tensor of a micro-batch that an op reads which runs once is summed
/// where it is made: each micro-batch adds to the sum of those before it, in no time of its own,
/// and the last sum is what is read. All else that is held from forward to backward ops are the
/// tensors themselves.
///
/// A stage on R devices gives micro-batch m to replica m mod R, each of which holds the parameters
/// and runs what runs once ("r1/NAME" on the second). Before that, replicas sum their gradients in
/// a ring, ops called "reduce/DEVICE": 2 (R - 1) messages of 1/R of what the ops that run once read
/// (of the parameters where nothing runs once), over the slowest link of the ring. A stage then
/// does forward ops ahead as if there were a stage for each device.
///
/// Throws Error for no micro-batch, for more than kMostUnrolledOps ops in all, for a schedule other
/// than gpipe without backward ops, for a forward op that reads from a backward op, and for devices
/// that do not follow each other: forward ops may read from earlier stages only, backward ops from
/// later ones only (but from any forward op). Interleaved devices may follow each other in turns,
/// as often as they like; at least one has to, and the micro-batches make whole rounds. Throws
/// Error for zero-bubble where no stage but the first has gradients of weights apart, and for
/// replicas that are used already, may not have the ops, are not joined or get no micro-batch.
MicroBatchPipeline pipelined(const Problem& problem, const Placement& placement,
                             const MicroBatches& batches);

}  // namespace placer
