#include "placer/sim/critical_path.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

namespace placer {
namespace {

/// The positions of all `runs`, sorted by a key and, for equal ones, by position.
template <class Run, class Key>
std::vector<std::size_t> sorted_by(const std::vector<Run>& runs, Key key) {
  std::vector<std::size_t> positions(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) positions[i] = i;
  std::ranges::stable_sort(positions, {}, [&](std::size_t at) { return key(runs[at]); });
  return positions;
}

auto device_and_start(const OpRun& run) { return std::pair(run.device.index(), run.start_ps); }
auto device_and_end(const OpRun& run) { return std::pair(run.device.index(), run.end_ps); }
auto receiver_and_end(const TransferRun& run) { return std::pair(run.to.index(), run.end_ps); }

/// Those that the projection takes to `key`, of a list sorted by it.
template <class Key, class Projection>
std::span<const std::size_t> all_at(const std::vector<std::size_t>& sorted, const Key& key,
                                    Projection projection) {
  return {std::ranges::lower_bound(sorted, key, {}, projection),
          std::ranges::upper_bound(sorted, key, {}, projection)};
}

/// Walks back along what could have been a cause. What takes no time may seem to wait for what only
/// came after it: such a way leads back to itself, and another one is taken.
class WayBack {
 public:
  WayBack(const Problem& problem, const Schedule& schedule)
      : problem_(problem),
        schedule_(schedule),
        by_start_(sorted_by(schedule.ops, device_and_start)),
        by_end_(sorted_by(schedule.ops, device_and_end)),
        transfers_(sorted_by(schedule.transfers, receiver_and_end)),
        seen_ops_(schedule.ops.size(), 0),
        seen_transfers_(schedule.transfers.size(), 0) {}

  CriticalPath from_last() {
    const auto last = std::ranges::max_element(schedule_.ops, {}, &OpRun::end_ps);
    std::vector<CriticalStep> back = {*unseen_op(last->op)};
    while (!begins_at_once(back.back())) {
      if (const auto cause = step_back(back.back())) {
        back.push_back(*cause);
      } else {
        back.pop_back();
      }
    }
    CriticalPath path;
    path.steps.assign(back.rbegin(), back.rend());
    for (const CriticalStep& step : path.steps) {
      if (step.is_transfer) {
        path.transfers.push_back(step.at);
      } else {
        path.ops.emplace_back(step.at);
      }
    }
    return path;
  }

 private:
  using Cause = std::optional<CriticalStep>;

  bool begins_at_once(const CriticalStep& step) const {
    return !step.is_transfer && schedule_.ops[step.at].start_ps == 0 &&
           problem_.graph().inputs(OpId(step.at)).empty();
  }

  Cause unseen_op(OpId op) {
    if (std::exchange(seen_ops_[op.index()], 1) != 0) return std::nullopt;
    return CriticalStep{false, op.index()};
  }
  Cause unseen_transfer(std::size_t at) {
    if (std::exchange(seen_transfers_[at], 1) != 0) return std::nullopt;
    return CriticalStep{true, at};
  }

  /// A cause that was not seen before; notes in the step what kind of wait that is.
  Cause step_back(CriticalStep& step) {
    step.wait = Wait::kData;
    if (step.is_transfer) {
      const TransferRun& run = schedule_.transfers[step.at];
      if (run.begin_ps == run.requested_ps) return unseen_op(producer_of(run.tensor));
      step.wait = Wait::kChannel;
      return what_held_a_channel(step.at);
    }
    const OpRun& run = schedule_.ops[step.at];
    if (const Cause input = last_input(run)) return input;
    const Cause held = what_held_the_device(run);
    step.wait = held && is_run_on(*held, run.device) ? Wait::kDevice : Wait::kTurn;
    return held;
  }

  bool is_run_on(const CriticalStep& step, DeviceId device) const {
    return !step.is_transfer && schedule_.ops[step.at].device == device;
  }

  /// The transfer before it on a channel. That was requested no later and leads on to an earlier
  /// time through such transfers alone, so that it was not seen.
  Cause what_held_a_channel(std::size_t transfer) const {
    const TransferRun& run = schedule_.transfers[transfer];
    const LinkChannels channels = problem_.topology().channels(run.from, run.to);
    for (std::size_t before = transfer; before-- > 0;) {
      const TransferRun& other = schedule_.transfers[before];
      if (other.end_ps != run.begin_ps) continue;
      const LinkChannels others = problem_.topology().channels(other.from, other.to);
      if (std::ranges::find_first_of(channels, others) == channels.end()) continue;
      return CriticalStep{true, before};
    }
    return std::nullopt;
  }

  OpId producer_of(TensorId tensor) const { return problem_.graph().tensor(tensor).producer; }

  /// What brought an input at the moment when the op began.
  Cause last_input(const OpRun& run) {
    for (const TensorId tensor : problem_.graph().inputs(run.op)) {
      const OpRun& producer = schedule_.ops[producer_of(tensor).index()];
      const bool travels =
          producer.device != run.device && problem_.graph().tensor(tensor).bytes > 0;
      if (!travels) {
        if (producer.end_ps != run.start_ps) continue;
        if (const Cause cause = unseen_op(producer.op)) return cause;
        continue;
      }
      for (const std::size_t at : arrivals(run.device, run.start_ps)) {
        if (schedule_.transfers[at].tensor != tensor) continue;
        if (const Cause cause = unseen_transfer(at)) return cause;
      }
    }
    return std::nullopt;
  }

  /// What ended on the device at the moment when the op began, or else the input of an op that
  /// began there with it: one that takes no time, or one before it in a strict sequence.
  Cause what_held_the_device(const OpRun& run) {
    const auto ended = all_at(by_end_, std::pair(run.device.index(), run.start_ps),
                              [&](std::size_t at) { return device_and_end(schedule_.ops[at]); });
    for (const std::size_t at : ended) {
      if (schedule_.ops[at].start_ps < run.start_ps) return unseen_op(schedule_.ops[at].op);
    }
    const auto begun = all_at(by_start_, device_and_start(run),
                              [&](std::size_t at) { return device_and_start(schedule_.ops[at]); });
    for (const std::size_t at : begun) {
      if (const Cause input = last_input(schedule_.ops[at])) return input;
    }
    return std::nullopt;
  }

  std::span<const std::size_t> arrivals(DeviceId device, Picoseconds time_ps) const {
    return all_at(transfers_, std::pair(device.index(), time_ps),
                  [&](std::size_t at) { return receiver_and_end(schedule_.transfers[at]); });
  }

  const Problem& problem_;
  const Schedule& schedule_;
  std::vector<std::size_t> by_start_;   // ops, by device and start
  std::vector<std::size_t> by_end_;     // ops, by device and end
  std::vector<std::size_t> transfers_;  // by receiver and end
  std::vector<char> seen_ops_, seen_transfers_;
};

}  // namespace

CriticalPath critical_path(const Problem& problem, const Schedule& schedule) {
  return WayBack(problem, schedule).from_last();
}

}  // namespace placer
