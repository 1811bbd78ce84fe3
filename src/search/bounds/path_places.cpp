#include "search/bounds/path_places.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "search/joins/join_time.hpp"

namespace placer {

PathPlaces::PathPlaces(const Problem& problem, std::vector<OpId> along)
    : ops(std::move(along)),
      from(problem.op_count(), -1),
      to(problem.op_count(), length()),
      ops_to(ops.size() + 1) {
  for (std::int64_t place = 0; place < length(); ++place) {
    const OpId op = ops[static_cast<std::size_t>(place)];
    from[op.index()] = to[op.index()] = place;
  }
  const Graph& graph = problem.graph();
  const auto for_each_reader = [&](OpId op, const auto& visit) {
    for (const TensorId tensor : graph.outputs(op)) {
      for (const OpId consumer : graph.tensor(tensor).consumers) visit(consumer.index());
    }
  };
  const std::vector<OpId>& order = graph.program_order();
  for (const OpId op : order) {
    for_each_reader(
        op, [&](std::size_t reader) { from[reader] = std::max(from[reader], from[op.index()]); });
  }
  for (auto op = order.rbegin(); op != order.rend(); ++op) {
    for_each_reader(
        *op, [&](std::size_t reader) { to[op->index()] = std::min(to[op->index()], to[reader]); });
    ops_to[static_cast<std::size_t>(to[op->index()])].push_back(*op);
  }
  for (const Tensor& tensor : graph.tensors()) {
    std::int64_t& last = read_from.emplace_back(-1);
    if (tensor.bytes == 0) continue;
    for (const OpId consumer : tensor.consumers) last = std::max(last, from[consumer.index()]);
  }
}

std::vector<Picoseconds> fastest_ps(const Problem& problem, const MemoryFit& fit) {
  std::vector<Picoseconds> fastest(problem.op_count(), kNeverPs);
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    for (const DeviceId device : fit.devices(problem.groups().of(op))) {
      fastest[op.index()] = std::min(fastest[op.index()], problem.costs().op_ps(op, device));
    }
  }
  return fastest;
}

std::vector<OpId> longest_path(const Graph& graph, const std::vector<double>& weights) {
  std::vector<double> sums(weights.size(), 0);  // from the op to the end
  std::vector<std::optional<OpId>> next(weights.size());
  const std::vector<OpId>& order = graph.program_order();
  OpId first = order.back();
  for (auto op = order.rbegin(); op != order.rend(); ++op) {
    std::optional<OpId>& best = next[op->index()];
    for (const TensorId tensor : graph.outputs(*op)) {
      for (const OpId consumer : graph.tensor(tensor).consumers) {
        if (!best || sums[consumer.index()] > sums[best->index()]) best = consumer;
      }
    }
    sums[op->index()] = weights[op->index()] + (best ? sums[best->index()] : 0);
    if (sums[op->index()] >= sums[first.index()]) first = *op;
  }
  std::vector<OpId> path;
  for (std::optional<OpId> op = first; op; op = next[op->index()]) path.push_back(*op);
  return path;
}

TensorId sent_between(const Graph& graph, OpId from, OpId to) {
  std::optional<TensorId> largest;
  for (const TensorId input : graph.inputs(to)) {
    const Tensor& tensor = graph.tensor(input);
    if (tensor.producer != from) continue;
    if (!largest || tensor.bytes > graph.tensor(*largest).bytes) largest = input;
  }
  return *largest;
}

}  // namespace placer
