#include "placer/sim/memory_use.hpp"

#include <algorithm>

namespace placer {
namespace {

struct Change {
  Picoseconds time_ps;
  std::int64_t bytes;
  std::int64_t HeldAtPeak::*part;
};
using Changes = std::vector<std::vector<Change>>;  // by device

void hold(std::vector<Change>& changes, Picoseconds from_ps, Picoseconds to_ps, std::int64_t bytes,
          std::int64_t HeldAtPeak::*part) {
  changes.push_back({from_ps, bytes, part});
  changes.push_back({to_ps, -bytes, part});
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
         tensor.bytes, &HeldAtPeak::received);
    Picoseconds& last_ps = sent_ps[run.tensor.index()];
    last_ps = std::max(last_ps, run.end_ps);
  }
  return sent_ps;
}

std::vector<MemorySample> samples_of(const std::vector<Change>& changes) {
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

/// By device and time.
Changes changes_of(const Problem& problem, const Schedule& schedule) {
  const Graph& graph = problem.graph();
  Changes changes(problem.device_count());
  const std::vector<Picoseconds> sent_ps = hold_copies(problem, schedule, changes);
  for (const OpRun& run : schedule.ops) {
    std::vector<Change>& own = changes[run.device.index()];
    own.push_back({0, graph.op(run.op).params_bytes, &HeldAtPeak::parameters});
    hold(own, run.start_ps, run.end_ps, graph.op(run.op).temp_bytes, &HeldAtPeak::temporary);
    for (const TensorId id : graph.outputs(run.op)) {
      const Tensor& tensor = graph.tensor(id);
      const Picoseconds used_ps = last_use_ps(tensor, schedule, run.device, run.end_ps);
      hold(own, run.start_ps,
           tensor.keep ? schedule.score.step_ps : std::max(used_ps, sent_ps[id.index()]),
           tensor.bytes, tensor.keep ? &HeldAtPeak::kept : &HeldAtPeak::activations);
    }
  }
  for (std::vector<Change>& own : changes) std::ranges::stable_sort(own, {}, &Change::time_ps);
  return changes;
}

}  // namespace

std::vector<std::vector<MemorySample>> memory_use(const Problem& problem,
                                                  const Schedule& schedule) {
  std::vector<std::vector<MemorySample>> samples;
  for (const std::vector<Change>& own : changes_of(problem, schedule)) {
    samples.push_back(samples_of(own));
  }
  return samples;
}

std::vector<HeldAtPeak> held_at_peak(const Problem& problem, const Schedule& schedule) {
  std::vector<HeldAtPeak> peaks;
  for (const std::vector<Change>& own : changes_of(problem, schedule)) {
    const std::vector<MemorySample> samples = samples_of(own);
    HeldAtPeak& held = peaks.emplace_back();
    held.time_ps = std::ranges::max_element(samples, {}, &MemorySample::bytes)->time_ps;
    for (const Change& change : own) {
      if (change.time_ps <= held.time_ps) held.*change.part += change.bytes;
    }
  }
  return peaks;
}

}  // namespace placer
