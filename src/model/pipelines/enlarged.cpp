// Which ops run once in a step and which for each micro-batch, and how those grow with it.
#include <algorithm>
#include <string_view>

#include "placer/model/microbatches.hpp"

namespace placer {
namespace {

bool is_update(const Op& op) {
  constexpr std::string_view kEnding = "_update";
  return op.backward && (op.type.ends_with(kEnding) || op.name.ends_with(kEnding));
}

bool is_sum(const Op& op) { return op.backward && (op.type == "add_n" || op.type == "all_reduce"); }

void enlarge(Op& op, std::int64_t factor) {
  const auto times = static_cast<double>(factor);
  for (auto& [device, seconds] : op.seconds) seconds *= times;
  if (op.flops) *op.flops *= times;
  if (op.bytes) {
    const double params = std::min(*op.bytes, static_cast<double>(op.params_bytes));
    *op.bytes = (*op.bytes - params) * times + params;
  }
  op.temp_bytes *= factor;
}

/// Whether an op without inputs hands on its parameters as they are.
bool is_parameter(const Graph& graph, const Tensor& tensor) {
  return graph.inputs(tensor.producer).empty() &&
         tensor.bytes == graph.op(tensor.producer).params_bytes;
}

std::vector<GroupId> group_of_ops(const Problem& problem) {
  std::vector<GroupId> group_of;
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    group_of.push_back(problem.groups().of(op));
  }
  return group_of;
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

bool is_gradient_sum(const std::vector<char>& once, const Tensor& tensor) {
  if (once[tensor.producer.index()] != 0) return false;
  return std::ranges::any_of(tensor.consumers, [&](OpId op) { return once[op.index()] != 0; });
}

std::vector<std::int64_t> gradient_bytes_by_op(const Graph& graph, const std::vector<char>& once) {
  std::vector<std::int64_t> bytes(graph.ops().size(), 0);
  if (std::ranges::count(once, 0) != std::ssize(once)) {
    for (const Tensor& tensor : graph.tensors()) {
      if (is_gradient_sum(once, tensor)) bytes[tensor.producer.index()] += tensor.bytes;
    }
  } else if (std::ranges::any_of(graph.ops(), &Op::backward)) {
    std::ranges::transform(graph.ops(), bytes.begin(), &Op::params_bytes);
  }
  return bytes;
}

Graph enlarged(const Graph& graph, std::int64_t factor) {
  const std::vector<char> once = runs_once(graph);
  std::vector<Op> ops = graph.ops();
  for (std::size_t op = 0; op < ops.size(); ++op) {
    if (once[op] == 0) enlarge(ops[op], factor);
  }
  std::vector<Tensor> tensors = graph.tensors();
  for (Tensor& tensor : tensors) {
    if (once[tensor.producer.index()] != 0 || is_gradient_sum(once, tensor) ||
        is_parameter(graph, tensor)) {
      continue;
    }
    tensor.bytes *= factor;
    if (tensor.transfer_seconds) *tensor.transfer_seconds *= static_cast<double>(factor);
  }
  return Graph(graph.name(), std::move(ops), std::move(tensors));
}

Problem with_merged(const Problem& problem, std::int64_t merged) {
  if (merged == 1) return problem;
  return Problem(enlarged(problem.graph(), merged), problem.topology())
      .with_groups(group_of_ops(problem))
      .with_goal(problem.goal())
      .within(problem.deadline());
}

}  // namespace placer
