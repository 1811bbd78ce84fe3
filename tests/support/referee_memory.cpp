#include <algorithm>
#include <vector>

#include "support/referee.hpp"

namespace placer::testing {
namespace {

struct Held {
  Picoseconds from_ps, to_ps;  // up to, not including, the second
  std::int64_t bytes;
};

/// 0 where none of the consumers runs on `device`.
Picoseconds last_consumer_end(const Graph& graph, const Schedule& schedule, TensorId tensor,
                              DeviceId device) {
  Picoseconds last_ps = 0;
  for (const OpId consumer : graph.tensor(tensor).consumers) {
    const OpRun& run = schedule.ops[consumer.index()];
    if (run.device == device) last_ps = std::max(last_ps, run.end_ps);
  }
  return last_ps;
}

Held held_output(const Graph& graph, const Schedule& schedule, TensorId tensor) {
  const OpRun& run = schedule.ops[graph.tensor(tensor).producer.index()];
  if (graph.tensor(tensor).keep) {
    return {run.start_ps, schedule.score.step_ps, graph.tensor(tensor).bytes};
  }
  Picoseconds to_ps = std::max(run.end_ps, last_consumer_end(graph, schedule, tensor, run.device));
  for (const TransferRun& transfer : schedule.transfers) {
    if (transfer.tensor == tensor) to_ps = std::max(to_ps, transfer.end_ps);
  }
  return {run.start_ps, to_ps, graph.tensor(tensor).bytes};
}

}  // namespace

std::int64_t referee_peak_bytes(const Problem& problem, const Schedule& schedule, DeviceId device) {
  const Graph& graph = problem.graph();
  std::vector<Held> held;
  std::int64_t params_bytes = 0;
  for (const OpRun& run : schedule.ops) {
    if (run.device != device) continue;
    params_bytes += graph.op(run.op).params_bytes;
    held.push_back({run.start_ps, run.end_ps, graph.op(run.op).temp_bytes});
    for (const TensorId tensor : graph.outputs(run.op)) {
      held.push_back(held_output(graph, schedule, tensor));
    }
  }
  for (const TransferRun& transfer : schedule.transfers) {
    if (transfer.to != device) continue;
    held.push_back({transfer.begin_ps, last_consumer_end(graph, schedule, transfer.tensor, device),
                    graph.tensor(transfer.tensor).bytes});
  }
  std::int64_t peak = params_bytes;
  for (const Held& moment : held) {
    std::int64_t sum = params_bytes;
    for (const Held& other : held) {
      if (other.from_ps <= moment.from_ps && moment.from_ps < other.to_ps) sum += other.bytes;
    }
    peak = std::max(peak, sum);
  }
  return peak;
}

}  // namespace placer::testing
