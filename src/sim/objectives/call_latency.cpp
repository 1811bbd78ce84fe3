#include "sim/objectives/call_latency.hpp"

#include <algorithm>

namespace placer {

CallLatency::CallLatency(const Problem& problem)
    : problem_(problem), node_of_(problem.op_count()), ops_of_call_(problem.device_count()) {}

void CallLatency::count_calls(const DeviceLoads& loads) {
  const std::size_t ops = problem_.op_count(), nodes = ops + problem_.device_count();
  start_ps_.assign(nodes, 0);
  time_ps_.assign(nodes, 0);
  waits_for_.assign(nodes, 0);
  for (std::vector<OpId>& call : ops_of_call_) call.clear();
  for (const OpId op : IdRange<OpId>(ops)) {
    const DeviceId device = loads.placement()[problem_.groups().of(op)];
    if (problem_.topology().device(device).host) {
      node_of_[op.index()] = op.index();
      time_ps_[op.index()] = problem_.costs().op_ps(op, device);
    } else {
      node_of_[op.index()] = ops + device.index();
      ops_of_call_[device.index()].push_back(op);
    }
  }
  for (const DeviceId device : IdRange<DeviceId>(problem_.device_count())) {
    if (!ops_of_call_[device.index()].empty()) {
      time_ps_[ops + device.index()] = loads.serial_ps(device);
    }
  }
  for (const OpId op : IdRange<OpId>(ops)) {
    const std::size_t node = node_of_[op.index()];
    for (const TensorId input : problem_.graph().inputs(op)) {
      const OpId producer = problem_.graph().tensor(input).producer;
      if (node_of_[producer.index()] != node) ++waits_for_[node];
    }
  }
}

Score CallLatency::score(const DeviceLoads& loads) {
  count_calls(loads);
  Score score{loads.score().overflow_bytes, 0};
  Picoseconds all_ps = 0;
  auto left = static_cast<std::int64_t>(problem_.op_count());
  ready_.clear();
  for (std::size_t node = 0; node < time_ps_.size(); ++node) {
    all_ps += time_ps_[node];
    if (waits_for_[node] == 0) ready_.push_back(node);
  }
  while (!ready_.empty()) {
    const std::size_t node = ready_.back();
    ready_.pop_back();
    const Picoseconds end_ps = start_ps_[node] + time_ps_[node];
    score.step_ps = std::max(score.step_ps, end_ps);
    left -= finish(node, end_ps);
  }
  score.astray_ops = left;
  if (left > 0) score.step_ps = all_ps;
  return score;
}

/// Hands the node's results to those that wait for them; returns how many ops it has.
std::int64_t CallLatency::finish(std::size_t node, Picoseconds end_ps) {
  const bool is_call = node >= problem_.op_count();
  if (!is_call && node_of_[node] != node) return 0;
  const OpId alone(is_call ? 0 : node);
  const std::span<const OpId> ops =
      is_call ? std::span<const OpId>(ops_of_call_[node - problem_.op_count()])
              : std::span<const OpId>(&alone, 1);
  for (const OpId op : ops) {
    for (const TensorId tensor : problem_.graph().outputs(op)) {
      for (const OpId consumer : problem_.graph().tensor(tensor).consumers) {
        const std::size_t next = node_of_[consumer.index()];
        if (next == node) continue;
        start_ps_[next] = std::max(start_ps_[next], end_ps);
        if (--waits_for_[next] == 0) ready_.push_back(next);
      }
    }
  }
  return static_cast<std::int64_t>(ops.size());
}

}  // namespace placer
