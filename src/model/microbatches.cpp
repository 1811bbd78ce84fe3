#include "placer/model/microbatches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "model/stage_order.hpp"
#include "placer/base/errors.hpp"

namespace placer {
namespace {

bool is_update(const Op& op) {
  constexpr std::string_view kEnding = "_update";
  return op.backward && (op.type.ends_with(kEnding) || op.name.ends_with(kEnding));
}

bool is_sum(const Op& op) { return op.backward && (op.type == "add_n" || op.type == "all_reduce"); }

class Unroller {
 public:
  Unroller(const Problem& problem, const Placement& placement, const MicroBatches& batches)
      : problem_(problem),
        placement_(placement),
        batches_(batches),
        once_(runs_once(problem.graph())),
        place_(problem.op_count()) {
    for (const OpId op : IdRange<OpId>(problem.op_count())) {
      place_[op.index()] = once_[op.index()] != 0 ? single_++ : repeated_++;
    }
    check();
  }

  MicroBatchPipeline unroll() const { return {unrolled_problem(), sequences(), stages()}; }

 private:
  std::size_t count() const { return static_cast<std::size_t>(batches_.count); }
  DeviceId device_of(OpId op) const { return placement_[problem_.groups().of(op)]; }
  bool is_once(OpId op) const { return once_[op.index()] != 0; }
  /// Of micro-batch `m`, where the op runs for each.
  OpId copy(OpId op, std::size_t m) const {
    const std::size_t place = place_[op.index()];
    return OpId(is_once(op) ? count() * repeated_ + place : m * repeated_ + place);
  }
  void check() const;
  std::vector<Op> ops() const;
  std::vector<Tensor> tensors() const;
  Tensor copy(const Tensor& tensor, std::size_t m) const;
  Problem unrolled_problem() const;
  Sequences sequences() const;
  std::vector<PipelineStage> stages() const;

  const Problem& problem_;
  const Placement& placement_;
  MicroBatches batches_;
  std::vector<char> once_;          // by op
  std::vector<std::size_t> place_;  // by op: among those that run once, or among the others
  std::size_t single_ = 0, repeated_ = 0;
};

void Unroller::check() const {
  if (batches_.count < 1) {
    throw Error(fmt::format("micro-batches: expected at least 1, found {}", batches_.count));
  }
  const std::int64_t most = kMostUnrolledOps / static_cast<std::int64_t>(problem_.op_count());
  if (batches_.count > std::max<std::int64_t>(most, 1)) {
    throw Error(fmt::format("micro-batches: expected at most {} of {} ops each, found {}", most,
                            problem_.op_count(), batches_.count));
  }
  const bool has_backward = std::ranges::any_of(problem_.graph().ops(), &Op::backward);
  if (batches_.schedule == PipelineSchedule::k1F1B && !has_backward) {
    throw Error(
        "schedule: expected gpipe for a graph without backward ops, found 1f1b, which needs them");
  }
}

std::vector<Op> Unroller::ops() const {
  const std::vector<Op>& own = problem_.graph().ops();
  std::vector<Op> ops(count() * repeated_ + single_);
  for (const OpId op : IdRange<OpId>(own.size())) {
    if (is_once(op)) {
      ops[copy(op, 0).index()] = own[op.index()];
      continue;
    }
    for (std::size_t m = 0; m < count(); ++m) {
      Op& each = ops[copy(op, m).index()] = own[op.index()];
      each.name = fmt::format("m{}/{}", m, each.name);
      if (m > 0) each.params_bytes = 0;
    }
  }
  return ops;
}

Tensor Unroller::copy(const Tensor& tensor, std::size_t m) const {
  Tensor each = tensor;
  each.producer = copy(tensor.producer, m);
  each.consumers.clear();
  bool is_summed = false;
  for (const OpId consumer : tensor.consumers) {
    const bool is_sum = is_once(consumer) && !is_once(tensor.producer);
    is_summed |= is_sum;
    if (!is_sum || m + 1 == count()) each.consumers.push_back(copy(consumer, m));
  }
  if (is_summed && m + 1 < count()) each.consumers.push_back(copy(tensor.producer, m + 1));
  return each;
}

std::vector<Tensor> Unroller::tensors() const {
  std::vector<Tensor> tensors;
  for (std::size_t m = 0; m < count(); ++m) {
    for (const Tensor& tensor : problem_.graph().tensors()) {
      if (m == 0 || !is_once(tensor.producer)) tensors.push_back(copy(tensor, m));
    }
  }
  return tensors;
}

Problem Unroller::unrolled_problem() const {
  const Graph& graph = problem_.graph();
  std::vector<GroupId> group_of(count() * repeated_ + single_);
  for (const OpId op : IdRange<OpId>(problem_.op_count())) {
    for (std::size_t m = 0; m < count(); ++m) {
      group_of[copy(op, m).index()] = problem_.groups().of(op);
    }
  }
  return Problem(Graph(graph.name(), ops(), tensors()), problem_.topology())
      .with_groups(std::move(group_of))
      .with_goal(problem_.goal())
      .within(problem_.deadline());
}

Sequences Unroller::sequences() const {
  const std::vector<DeviceId> order = stage_order(problem_, placement_, once_);
  Sequences forward(problem_.device_count()), backward = forward, last = forward, sequences = last;
  for (const OpId op : problem_.graph().program_order()) {
    Sequences& phase = is_once(op) ? last : problem_.graph().op(op).backward ? backward : forward;
    phase[device_of(op).index()].push_back(op);
  }
  const auto append = [&](const Sequences& phase, DeviceId device, std::size_t m) {
    for (const OpId op : phase[device.index()]) sequences[device.index()].push_back(copy(op, m));
  };
  for (std::size_t stage = 0; stage < order.size(); ++stage) {
    const bool is_gpipe = batches_.schedule == PipelineSchedule::kGpipe;
    const std::size_t ahead = is_gpipe ? count() : std::min(order.size() - stage, count());
    for (std::size_t m = 0; m < ahead; ++m) append(forward, order[stage], m);
    for (std::size_t m = 0; m < count(); ++m) {
      append(backward, order[stage], m);
      if (ahead + m < count()) append(forward, order[stage], ahead + m);
    }
  }
  for (const DeviceId device : IdRange<DeviceId>(last.size())) append(last, device, 0);
  return sequences;
}

std::vector<PipelineStage> Unroller::stages() const {
  std::vector<PipelineStage> stages;
  for (const DeviceId device : stage_order(problem_, placement_, once_)) stages.push_back({device});
  for (const OpId op : IdRange<OpId>(problem_.op_count())) {
    const auto at = std::ranges::find(stages, device_of(op), &PipelineStage::device);
    if (at == stages.end()) continue;
    const bool is_backward = problem_.graph().op(op).backward;
    (is_once(op)   ? at->update_ps
     : is_backward ? at->backward_ps
                   : at->forward_ps) += problem_.costs().op_ps(op, at->device);
  }
  return stages;
}

}  // namespace

std::vector<char> runs_once(const Graph& graph) {
  std::vector<char> once(graph.ops().size(), 0);
  const std::vector<OpId>& order = graph.program_order();
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    const Op& op = graph.op(*at);
    bool is_read = false, others_read = false;
    for (const TensorId output : graph.outputs(*at)) {
      for (const OpId consumer : graph.tensor(output).consumers) {
        is_read = true;
        others_read |= once[consumer.index()] == 0;
      }
    }
    if (others_read) continue;
    once[at->index()] = is_update(op) || (is_sum(op) && is_read) ? 1 : 0;
  }
  return once;
}

MicroBatchPipeline pipelined(const Problem& problem, const Placement& placement,
                             const MicroBatches& batches) {
  return Unroller(problem, placement, batches).unroll();
}

}  // namespace placer
