#include "placer/model/microbatches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "model/pipelines/batch_checks.hpp"
#include "model/pipelines/replica_teams.hpp"
#include "model/pipelines/stage_order.hpp"
#include "model/pipelines/stage_tasks.hpp"
#include "model/pipelines/weight_gradients.hpp"
#include "placer/base/errors.hpp"

namespace placer {
namespace {

class Unroller {
 public:
  Unroller(const Problem& problem, const Placement& placement, const MicroBatches& batches)
      : problem_(problem),
        placement_(placement),
        batches_(batches),
        once_(runs_once(problem.graph())),
        place_(problem.op_count()) {
    check_batches(problem, batches);
    teams_ = ReplicaTeams(problem, placement, batches);
    for (const OpId op : IdRange<OpId>(problem.op_count())) {
      if (!is_once(op)) place_[op.index()] = repeated_++;
    }
    ops_ = count() * repeated_;
    for (const OpId op : IdRange<OpId>(problem.op_count())) {
      if (is_once(op)) place_[op.index()] = std::exchange(ops_, ops_ + replicas(op));
    }
    order_stages();
  }

  MicroBatchPipeline unroll() const;

 private:
  std::size_t count() const { return static_cast<std::size_t>(batches_.count); }
  DeviceId device_of(OpId op) const { return placement_[problem_.groups().of(op)]; }
  bool is_once(OpId op) const { return once_[op.index()] != 0; }
  std::size_t replicas(OpId op) const { return teams_.of(device_of(op)).size(); }
  /// Of micro-batch `m`, where the op runs for each; else of replica `m`.
  OpId copy(OpId op, std::size_t m) const {
    const std::size_t place = place_[op.index()];
    return OpId(is_once(op) ? place + m : m * repeated_ + place);
  }
  std::size_t copies(OpId op) const { return is_once(op) ? replicas(op) : count(); }
  bool is_interleaved() const { return batches_.schedule == PipelineSchedule::kInterleaved; }

  void order_stages();
  std::vector<Op> ops() const;
  std::vector<Tensor> tensors() const;
  Tensor copy(const Tensor& tensor, std::size_t m) const;
  void add_consumers(const Tensor& tensor, std::size_t replica, OpId consumer, Tensor& each) const;
  std::vector<GroupId> groups() const;
  Placement placement() const;
  Sequences sequences() const;
  TaskPhase phase_of(OpId op) const;
  std::vector<PipelineStage> stages() const;
  void add_ends(UnrolledStep& step, std::vector<PipelineStage>& stages) const;

  const Problem& problem_;
  const Placement& placement_;
  MicroBatches batches_;
  std::vector<char> once_;          // by op
  std::vector<std::size_t> place_;  // by op: among those of a micro-batch, or the first copy
  std::size_t repeated_ = 0, ops_ = 0;
  ReplicaTeams teams_;
  DealtChunks dealt_;          // one for each stage, unless interleaved
  std::vector<char> weights_;  // by op: gradients of weights; empty unless under zero-bubble
};

void Unroller::order_stages() {
  if (is_interleaved()) {
    dealt_ = dealt_chunks(problem_, placement_, once_);
    check_rounds(dealt_, batches_);
    return;
  }
  dealt_.devices = stage_order(problem_, placement_, once_);
  dealt_.chunk_of.assign(problem_.op_count(), 0);
  if (batches_.schedule == PipelineSchedule::kZeroBubble) {
    weights_ = weight_gradients(problem_, placement_, once_, dealt_.devices);
  }
}

std::vector<Op> Unroller::ops() const {
  const std::vector<Op>& own = problem_.graph().ops();
  std::vector<Op> ops(ops_);
  for (const OpId op : IdRange<OpId>(own.size())) {
    for (std::size_t m = 0; m < copies(op); ++m) {
      Op& each = ops[copy(op, m).index()] = own[op.index()];
      if (!is_once(op)) {
        each.name = fmt::format("m{}/{}", m, each.name);
        if (m >= replicas(op)) each.params_bytes = 0;
      } else if (m > 0) {
        each.name = fmt::format("r{}/{}", m, each.name);
      }
    }
  }
  return ops;
}

/// What reads `tensor` of `replica` once in a step: where that has more replicas, several of them.
void Unroller::add_consumers(const Tensor& tensor, std::size_t replica, OpId consumer,
                             Tensor& each) const {
  for (std::size_t r = replica; r < replicas(consumer); r += replicas(tensor.producer)) {
    each.consumers.push_back(copy(consumer, r));
  }
}

Tensor Unroller::copy(const Tensor& tensor, std::size_t m) const {
  Tensor each = tensor;
  each.producer = copy(tensor.producer, m);
  each.consumers.clear();
  const std::size_t own = replicas(tensor.producer);
  const bool is_last = is_once(tensor.producer) || m + own >= count();
  for (const OpId consumer : tensor.consumers) {
    if (!is_once(consumer)) {
      each.consumers.push_back(copy(consumer, m));
    } else if (is_last) {
      add_consumers(tensor, m % own, consumer, each);
    }
  }
  if (!is_last && is_gradient_sum(once_, tensor)) {
    each.consumers.push_back(copy(tensor.producer, m + own));
  }
  return each;
}

std::vector<Tensor> Unroller::tensors() const {
  std::vector<Tensor> tensors;
  for (std::size_t m = 0; m < count(); ++m) {
    for (const Tensor& tensor : problem_.graph().tensors()) {
      if (m < copies(tensor.producer)) tensors.push_back(copy(tensor, m));
    }
  }
  return tensors;
}

/// The graph's, once for each replica of their device.
std::vector<GroupId> Unroller::groups() const {
  const std::size_t own = problem_.groups().size();
  std::vector<std::size_t> first(own);
  std::size_t groups = 0;
  for (const GroupId group : IdRange<GroupId>(own)) {
    first[group.index()] = std::exchange(groups, groups + teams_.of(placement_[group]).size());
  }
  std::vector<GroupId> group_of(ops_);
  for (const OpId op : IdRange<OpId>(problem_.op_count())) {
    for (std::size_t m = 0; m < copies(op); ++m) {
      group_of[copy(op, m).index()] =
          GroupId(first[problem_.groups().of(op).index()] + m % replicas(op));
    }
  }
  return group_of;
}

Placement Unroller::placement() const {
  Placement placement;
  for (const DeviceId device : placement_.devices) {
    const std::vector<DeviceId>& team = teams_.of(device);
    placement.devices.insert(placement.devices.end(), team.begin(), team.end());
  }
  return placement;
}

TaskPhase Unroller::phase_of(OpId op) const {
  if (!problem_.graph().op(op).backward) return TaskPhase::kForward;
  return !weights_.empty() && weights_[op.index()] != 0 ? TaskPhase::kWeights
                                                        : TaskPhase::kBackward;
}

Sequences Unroller::sequences() const {
  const std::vector<DeviceId>& order = dealt_.devices;
  const std::size_t devices = problem_.device_count();
  // By phase, chunk and device.
  std::array<std::vector<Sequences>, 3> parts;
  parts.fill(std::vector<Sequences>(dealt_.chunks, Sequences(devices)));
  Sequences sequences(devices);
  for (const OpId op : problem_.graph().program_order()) {
    if (is_once(op)) continue;
    parts[static_cast<std::size_t>(phase_of(op))][dealt_.chunk_of[op.index()]]
         [device_of(op).index()]
             .push_back(op);
  }
  std::size_t before = 0, all = 0;
  for (const DeviceId device : order) all += teams_.of(device).size();
  for (const DeviceId device : order) {
    const std::vector<DeviceId>& team = teams_.of(device);
    const StagePlace place = {before, all - before, dealt_.chunks};
    for (const StageTask& task : stage_tasks(batches_.schedule, place, count())) {
      Sequences::value_type& row = sequences[team[task.batch % team.size()].index()];
      for (const OpId op :
           parts[static_cast<std::size_t>(task.phase)][task.chunk][device.index()]) {
        row.push_back(copy(op, task.batch));
      }
    }
    before += team.size();
  }
  return sequences;
}

/// What runs once, behind the sum of gradients where there are replicas.
void Unroller::add_ends(UnrolledStep& step, std::vector<PipelineStage>& stages) const {
  const Topology& topology = problem_.topology();
  const std::vector<std::int64_t> gradients = gradient_bytes_by_op(problem_.graph(), once_);
  std::vector<std::int64_t> bytes(problem_.device_count(), 0);
  for (const OpId op : IdRange<OpId>(problem_.op_count())) {
    bytes[device_of(op).index()] += gradients[op.index()];
  }
  for (PipelineStage& stage : stages) {
    const std::vector<DeviceId>& team = teams_.of(stage.device);
    const double seconds = ring_seconds(topology, team, bytes[stage.device.index()]);
    if (seconds > 0) add_ring(topology, team, seconds, step);
    stage.reduce_ps = to_picoseconds(seconds);
  }
  for (const OpId op : problem_.graph().program_order()) {
    if (!is_once(op)) continue;
    const std::vector<DeviceId>& team = teams_.of(device_of(op));
    for (std::size_t r = 0; r < team.size(); ++r) {
      step.sequences[team[r].index()].push_back(copy(op, r));
    }
  }
}

std::vector<PipelineStage> Unroller::stages() const {
  std::vector<PipelineStage> stages;
  for (const DeviceId device : dealt_.devices) {
    const std::vector<DeviceId>& team = teams_.of(device);
    stages.push_back({.device = device, .replicas = {team.begin() + 1, team.end()}});
  }
  std::vector<std::set<std::size_t>> chunks(stages.size());
  for (const OpId op : IdRange<OpId>(problem_.op_count())) {
    const auto at = std::ranges::find(stages, device_of(op), &PipelineStage::device);
    if (at == stages.end()) continue;
    const TaskPhase phase = phase_of(op);
    if (!is_once(op)) {
      chunks[static_cast<std::size_t>(at - stages.begin())].insert(dealt_.chunk_of[op.index()]);
    }
    (is_once(op)                     ? at->update_ps
     : phase == TaskPhase::kForward  ? at->forward_ps
     : phase == TaskPhase::kBackward ? at->backward_ps
                                     : at->weights_ps) += problem_.costs().op_ps(op, at->device);
  }
  for (std::size_t i = 0; i < stages.size(); ++i) {
    stages[i].chunks = std::max<std::size_t>(1, chunks[i].size());
  }
  return stages;
}

/// Leaves `step` without ops and tensors.
Graph graph_of_copies(const std::string& name, UnrolledStep&& step) {
  try {
    return Graph(name, std::move(step.ops), std::move(step.tensors));
  } catch (const Error& error) {
    throw Error(fmt::format(
        "micro-batches: expected no op that is called as a copy is (m0/OP, r1/OP, reduce/DEVICE), "
        "found one: {}",
        error.what()));
  }
}

MicroBatchPipeline Unroller::unroll() const {
  UnrolledStep step{ops(), tensors(), groups(), placement(), sequences()};
  std::vector<PipelineStage> pipeline = stages();
  add_ends(step, pipeline);
  Problem problem =
      Problem(graph_of_copies(problem_.graph().name(), std::move(step)), problem_.topology())
          .with_groups(std::move(step.group_of))
          .with_goal(problem_.goal())
          .within(problem_.deadline());
  return {std::move(problem), std::move(step.placement), std::move(step.sequences),
          std::move(pipeline)};
}

}  // namespace

MicroBatchPipeline pipelined(const Problem& problem, const Placement& placement,
                             const MicroBatches& batches) {
  return Unroller(with_merged(problem, batches.merged), placement, batches).unroll();
}

}  // namespace placer
