#include "placer/sim/idle_time.hpp"

#include <algorithm>
#include <unordered_map>

namespace placer {
namespace {

/// When an input was asked for, began to travel and was there.
struct Arrival {
  Picoseconds requested_ps = 0, begin_ps = 0, end_ps = 0;
};

class Waits {
 public:
  Waits(const Problem& problem, const Schedule& schedule) : problem_(problem), schedule_(schedule) {
    for (std::size_t at = 0; at < schedule.transfers.size(); ++at) {
      const TransferRun& run = schedule.transfers[at];
      transfers_.emplace(key(run.tensor, run.to), at);
    }
  }

  /// The input of the op that came last; all zeros for an op without inputs.
  Arrival last_input(const OpRun& run) const {
    Arrival last;
    for (const TensorId tensor : problem_.graph().inputs(run.op)) {
      const Arrival arrival = arrival_of(tensor, run.device);
      if (arrival.end_ps > last.end_ps) last = arrival;
    }
    return last;
  }

 private:
  static std::size_t key(TensorId tensor, DeviceId device) {
    return tensor.index() << 16 | device.index();
  }

  Arrival arrival_of(TensorId tensor, DeviceId device) const {
    const auto transfer = transfers_.find(key(tensor, device));
    if (transfer == transfers_.end()) {
      const Picoseconds end_ps =
          schedule_.ops[problem_.graph().tensor(tensor).producer.index()].end_ps;
      return {end_ps, end_ps, end_ps};
    }
    const TransferRun& run = schedule_.transfers[transfer->second];
    return {run.requested_ps, run.begin_ps, run.end_ps};
  }

  const Problem& problem_;
  const Schedule& schedule_;
  std::unordered_map<std::size_t, std::size_t> transfers_;  // by tensor and receiver
};

/// The length of what `from_ps` .. `to_ps` has before `until_ps`, where the next part begins.
Picoseconds take(Picoseconds& from_ps, Picoseconds to_ps, Picoseconds until_ps) {
  const Picoseconds end_ps = std::clamp(until_ps, from_ps, to_ps);
  const Picoseconds length_ps = end_ps - from_ps;
  from_ps = end_ps;
  return length_ps;
}

}  // namespace

std::vector<DeviceTime> device_times(const Problem& problem, const Schedule& schedule) {
  const Waits waits(problem, schedule);
  std::vector<const OpRun*> runs;
  Picoseconds last_ps = 0;
  for (const OpRun& run : schedule.ops) {
    runs.push_back(&run);
    last_ps = std::max(last_ps, run.end_ps);
  }
  std::ranges::stable_sort(runs, {}, [](const OpRun* run) { return run->start_ps; });
  std::vector<DeviceTime> times(problem.device_count());
  std::vector<Picoseconds> reached_ps(problem.device_count(), 0);
  for (const OpRun* run : runs) {
    DeviceTime& time = times[run->device.index()];
    Picoseconds& at_ps = reached_ps[run->device.index()];
    if (at_ps < run->start_ps) {
      const Arrival input = waits.last_input(*run);
      time.producer_ps += take(at_ps, run->start_ps, input.requested_ps);
      time.channel_ps += take(at_ps, run->start_ps, input.begin_ps);
      time.transfer_ps += take(at_ps, run->start_ps, input.end_ps);
      time.order_ps += take(at_ps, run->start_ps, run->start_ps);
    }
    time.busy_ps += take(at_ps, std::max(at_ps, run->end_ps), run->end_ps);
  }
  for (std::size_t device = 0; device < times.size(); ++device) {
    times[device].done_ps = last_ps - reached_ps[device];
  }
  return times;
}

}  // namespace placer
