#include "placer/sim/memory_use.hpp"

#include <algorithm>

namespace placer {
namespace {

struct Change {
  Picoseconds time_ps;
  std::int64_t bytes;
};
using Changes = std::vector<std::vector<Change>>;  // by device

void hold(std::vector<Change>& changes, Picoseconds from_ps, Picoseconds to_ps,
          std::int64_t bytes) {
  changes.push_back({from_ps, bytes});
  changes.push_back({to_ps, -bytes});
}

/// `from_ps` where no consumer of the tensor runs on `device`.
Picoseconds last_use_ps(const Tensor& tensor, const Schedule& schedule, DeviceId device,
                        Picoseconds from_ps) {
  for (const OpId consumer : tensor.consumers) {
    const OpRun& run = schedule.ops[consumer.index()];
    if (run.device == device) from_ps = std::max(from_ps, run.end_ps);
  }
  return from_ps;
}

/// Received copies; returns when each tensor's last transfer ends, 0 where it has none.
std::vector<Picoseconds> hold_copies(const Problem& problem, const Schedule& schedule,
                                     Changes& changes) {
  std::vector<Picoseconds> sent_ps(problem.graph().tensors().size(), 0);
  for (const TransferRun& run : schedule.transfers) {
    const Tensor& tensor = problem.graph().tensor(run.tensor);
    hold(changes[run.to.index()], run.begin_ps, last_use_ps(tensor, schedule, run.to, run.begin_ps),
         tensor.bytes);
    Picoseconds& last_ps = sent_ps[run.tensor.index()];
    last_ps = std::max(last_ps, run.end_ps);
  }
  return sent_ps;
}

std::vector<MemorySample> samples_of(std::vector<Change> changes) {
  std::ranges::stable_sort(changes, {}, &Change::time_ps);
  std::vector<MemorySample> samples = {{0, 0}};
  std::int64_t held = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    held += changes[i].bytes;
    if (i + 1 < changes.size() && changes[i + 1].time_ps == changes[i].time_ps) continue;
    if (changes[i].time_ps == 0) samples.front().bytes = held;
    if (held != samples.back().bytes) samples.push_back({changes[i].time_ps, held});
  }
  return samples;
}

}  // namespace

std::vector<std::vector<MemorySample>> memory_use(const Problem& problem,
                                                  const Schedule& schedule) {
  const Graph& graph = problem.graph();
  Changes changes(problem.device_count());
  const std::vector<Picoseconds> sent_ps = hold_copies(problem, schedule, changes);
  for (const OpRun& run : schedule.ops) {
    std::vector<Change>& own = changes[run.device.index()];
    own.push_back({0, graph.op(run.op).params_bytes});
    hold(own, run.start_ps, run.end_ps, graph.op(run.op).temp_bytes);
    for (const TensorId id : graph.outputs(run.op)) {
      const Tensor& tensor = graph.tensor(id);
      const Picoseconds used_ps = last_use_ps(tensor, schedule, run.device, run.end_ps);
      hold(own, run.start_ps,
           tensor.keep ? schedule.score.step_ps : std::max(used_ps, sent_ps[id.index()]),
           tensor.bytes);
    }
  }
  std::vector<std::vector<MemorySample>> samples;
  for (std::vector<Change>& own : changes) samples.push_back(samples_of(std::move(own)));
  return samples;
}

}  // namespace placer
