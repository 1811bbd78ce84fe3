#include "placer/model/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <queue>

#include "model/field_checks.hpp"
#include "placer/base/errors.hpp"
#include "placer/base/member_count.hpp"
#include "placer/base/text.hpp"
#include "placer/model/op_index.hpp"

namespace placer {
namespace {

static_assert(std::tuple_size_v<decltype(kOutputFields)> == member_count<OutputShape>);
static_assert(std::tuple_size_v<decltype(kOpFields)> == member_count<Op>);
static_assert(std::tuple_size_v<decltype(kTensorFields)> == member_count<Tensor>);

/// Walks back from a blocked op through blocked producers until one repeats.
std::string cycle_text(const Graph& graph, const std::vector<std::size_t>& missing) {
  const auto blocked_producer = [&](OpId op) {
    for (const TensorId tensor : graph.inputs(op)) {
      const OpId producer = graph.tensor(tensor).producer;
      if (missing[producer.index()] > 0) return producer;
    }
    return op;
  };
  const auto blocked = std::ranges::find_if(missing, [](std::size_t count) { return count > 0; });
  OpId at(static_cast<std::size_t>(blocked - missing.begin()));
  std::vector<std::size_t> seen_at(missing.size(), 0);
  std::vector<OpId> path;
  while (seen_at[at.index()] == 0) {
    path.push_back(at);
    seen_at[at.index()] = path.size();
    at = blocked_producer(at);
  }
  path.erase(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(seen_at[at.index()]) - 1);
  constexpr std::size_t kShown = 8;
  std::string text = "'" + graph.op(at).name + "'";
  for (std::size_t i = path.size(); i-- > 0;) {
    if (path.size() - i > kShown) {
      return text + fmt::format(" -> ... ({} ops)", path.size());
    }
    text += " -> '" + graph.op(path[i]).name + "'";
  }
  return text;
}

/// Whether every op comes after those that it reads from, so that program order is that of the ids.
bool list_producers_first(const std::vector<Tensor>& tensors) {
  return std::ranges::all_of(tensors, [](const Tensor& tensor) {  // consumers are sorted
    return tensor.consumers.empty() || tensor.producer < tensor.consumers.front();
  });
}

}  // namespace

Graph::Graph(std::string name, std::vector<Op> ops, std::vector<Tensor> tensors)
    : name_(std::move(name)), ops_(std::move(ops)), tensors_(std::move(tensors)) {
  check_ops();
  check_tensors();
  check_bytes();
  index_tensors();
  order_ops();
}

void Graph::check_ops() const {
  if (ops_.empty()) throw Error("ops: expected at least one op, found none");
  const OpIndex index(ops_);
  for (std::size_t i = 0; i < ops_.size(); ++i) {
    check_fields(kOpFields, ops_[i], "ops", i);
    if (index.repeated() && index.repeated()->again.index() == i) {
      throw Error(
          fmt::format("ops[{}].name: expected a unique name, found '{}' again (first at ops[{}])",
                      i, shown_name(ops_[i].name), index.repeated()->first.index()));
    }
  }
}

void Graph::check_tensors() {
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    Tensor& tensor = tensors_[i];
    check_fields(kTensorFields, tensor, "tensors", i);
    std::ranges::sort(tensor.consumers);
    // Not std::ranges::unique, whose subrange clang-tidy 14 cannot parse.
    tensor.consumers.erase(std::unique(tensor.consumers.begin(), tensor.consumers.end()),
                           tensor.consumers.end());
    if (std::ranges::binary_search(tensor.consumers, tensor.producer)) {
      throw Error(fmt::format(
          "tensors[{}].consumers: expected other ops than the producer, found '{}' itself", i,
          shown_name(ops_[tensor.producer.index()].name)));
    }
    edge_count_ += tensor.consumers.size();
  }
}

/// Sums of bytes, copies included, must stay far inside 64 bits.
void Graph::check_bytes() const {
  constexpr double kMostBytes = 1e18;
  double sum = 0;
  for (const Op& op : ops_) {
    sum += static_cast<double>(op.params_bytes) + static_cast<double>(op.temp_bytes);
  }
  for (const Tensor& tensor : tensors_) {
    sum += static_cast<double>(tensor.bytes) * static_cast<double>(tensor.consumers.size() + 1);
  }
  if (sum > kMostBytes) {
    throw Error(
        fmt::format("ops: expected at most {} bytes of parameters, tensors and their copies, "
                    "found {}",
                    kMostBytes, sum));
  }
}

void Graph::index_tensors() {
  const auto fill = [&](TensorsOfOps& lists, auto for_each_op_of) {
    lists.offsets.assign(ops_.size() + 1, 0);
    for (const Tensor& tensor : tensors_) {
      for_each_op_of(tensor, [&](OpId op) { ++lists.offsets[op.index() + 1]; });
    }
    for (std::size_t i = 0; i < ops_.size(); ++i) lists.offsets[i + 1] += lists.offsets[i];
    lists.tensors.resize(lists.offsets.back());
    std::vector<std::size_t> next(lists.offsets.begin(), lists.offsets.end() - 1);
    for (const TensorId id : IdRange<TensorId>(tensors_.size())) {
      for_each_op_of(tensor(id), [&](OpId op) { lists.tensors[next[op.index()]++] = id; });
    }
  };
  fill(outputs_, [](const Tensor& tensor, auto add) { add(tensor.producer); });
  fill(inputs_, [](const Tensor& tensor, auto add) {
    for (const OpId consumer : tensor.consumers) add(consumer);
  });
}

void Graph::order_ops() {
  program_position_.resize(ops_.size());
  program_order_.reserve(ops_.size());
  const auto append = [&](OpId op) {
    program_position_[op.index()] = program_order_.size();
    program_order_.push_back(op);
  };
  if (list_producers_first(tensors_)) {
    for (const OpId op : IdRange<OpId>(ops_.size())) append(op);
    return;
  }
  std::vector<std::size_t> missing(ops_.size());
  std::priority_queue<OpId, std::vector<OpId>, std::greater<>> ready;
  for (const OpId op : IdRange<OpId>(ops_.size())) {
    missing[op.index()] = inputs(op).size();
    if (missing[op.index()] == 0) ready.push(op);
  }
  while (!ready.empty()) {
    const OpId op = ready.top();
    ready.pop();
    append(op);
    for (const TensorId output : outputs(op)) {
      for (const OpId consumer : tensor(output).consumers) {
        if (--missing[consumer.index()] == 0) ready.push(consumer);
      }
    }
  }
  if (program_order_.size() < ops_.size()) {
    throw Error("ops: expected an acyclic graph, found the cycle " + cycle_text(*this, missing));
  }
}

}  // namespace placer
