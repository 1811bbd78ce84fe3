#include "sim/objectives/call_latency.hpp"

#include <algorithm>

namespace placer {

CallLatency::CallLatency(const Problem& problem)
    : problem_(problem),
      reader_offsets_{0},
      node_of_(problem.op_count()),
      next_op_(problem.op_count()) {
  const Graph& graph = problem.graph();
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    for (const TensorId tensor : graph.outputs(op)) {
      for (const OpId consumer : graph.tensor(tensor).consumers) {
        readers_.push_back(static_cast<std::uint32_t>(consumer.index()));
      }
    }
    reader_offsets_.push_back(readers_.size());
  }
}

/// Which ops make up each node, and how long it takes.
void CallLatency::find_nodes(const DeviceLoads& loads) {
  const std::size_t ops = problem_.op_count(), nodes = ops + problem_.device_count();
  first_op_.assign(nodes, kNone);
  time_ps_.assign(nodes, 0);
  for (std::size_t at = ops; at-- > 0;) {
    const OpId op(at);
    const DeviceId device = loads.placement()[problem_.groups().of(op)];
    const bool is_alone = problem_.topology().device(device).host;
    const std::size_t node = is_alone ? at : ops + device.index();
    if (is_alone) time_ps_[node] = problem_.costs().op_ps(op, device);
    node_of_[at] = static_cast<Node>(node);
    next_op_[at] = first_op_[node];
    first_op_[node] = static_cast<std::uint32_t>(at);
  }
  for (const DeviceId device : IdRange<DeviceId>(problem_.device_count())) {
    const std::size_t node = ops + device.index();
    if (first_op_[node] != kNone) time_ps_[node] = loads.serial_ps(device);
  }
}

void CallLatency::count_waits() {
  inputs_.assign(time_ps_.size(), 0);
  for (std::size_t op = 0; op < node_of_.size(); ++op) {
    for (std::size_t at = reader_offsets_[op]; at < reader_offsets_[op + 1]; ++at) {
      const Node reader = node_of_[readers_[at]];
      inputs_[reader] += reader != node_of_[op] ? 1 : 0;
    }
  }
}

Score CallLatency::score(const DeviceLoads& loads) {
  find_nodes(loads);
  count_waits();
  start_ps_.assign(time_ps_.size(), 0);
  waited_for_.assign(time_ps_.size(), kNone);
  Score score{loads.score().overflow_bytes, 0};
  Picoseconds all_ps = 0;
  auto left = static_cast<std::int64_t>(problem_.op_count());
  last_ = kNone;
  for (Node node = 0; node < time_ps_.size(); ++node) {
    all_ps += time_ps_[node];
    if (inputs_[node] == 0 && first_op_[node] != kNone) ready_.push_back(node);
  }
  while (!ready_.empty()) {
    const Node node = ready_.back();
    ready_.pop_back();
    const Picoseconds end_ps = start_ps_[node] + time_ps_[node];
    if (last_ == kNone || end_ps > score.step_ps) last_ = node;
    score.step_ps = std::max(score.step_ps, end_ps);
    left -= finish(node, end_ps);
  }
  score.astray_ops = left;
  if (left > 0) score.step_ps = all_ps;
  return score;
}

/// Hands the node's results to those that wait for them; returns how many ops it has.
std::int64_t CallLatency::finish(Node node, Picoseconds end_ps) {
  std::int64_t count = 0;
  for (std::uint32_t op = first_op_[node]; op != kNone; op = next_op_[op], ++count) {
    for (std::size_t at = reader_offsets_[op]; at < reader_offsets_[op + 1]; ++at) {
      const Node next = node_of_[readers_[at]];
      if (next == node) continue;
      if (end_ps > start_ps_[next] || waited_for_[next] == kNone) {
        start_ps_[next] = end_ps;
        waited_for_[next] = node;
      }
      if (--inputs_[next] == 0) ready_.push_back(next);
    }
  }
  return count;
}

void CallLatency::add_ops(Node node, std::vector<OpId>& ops) const {
  for (std::uint32_t op = first_op_[node]; op != kNone; op = next_op_[op]) ops.emplace_back(op);
}

void CallLatency::add_critical(std::vector<OpId>& ops) const {
  const std::size_t before = ops.size();
  for (Node node = 0; node < inputs_.size(); ++node) {
    if (inputs_[node] > 0) add_ops(node, ops);
  }
  if (ops.size() > before) return;
  for (Node node = last_; node != kNone; node = waited_for_[node]) add_ops(node, ops);
}

}  // namespace placer
