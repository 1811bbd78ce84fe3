#include "placer/sim/critical_path.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <variant>

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

class Walk {
 public:
  Walk(const Problem& problem, const Schedule& schedule)
      : problem_(problem),
        schedule_(schedule),
        by_start_(sorted_by(schedule.ops, device_and_start)),
        by_end_(sorted_by(schedule.ops, device_and_end)),
        transfers_(sorted_by(schedule.transfers, receiver_and_end)),
        seen_(schedule.ops.size(), 0) {}

  CriticalPath from_last() {
    const auto last = std::ranges::max_element(schedule_.ops, {}, &OpRun::end_ps);
    std::optional<Cause> at = Cause(last->op);
    while (at) at = std::visit([&](auto item) { return step_back(item); }, *at);
    std::ranges::reverse(path_.ops);
    std::ranges::reverse(path_.transfers);
    std::ranges::reverse(path_.steps);
    return std::move(path_);
  }

 private:
  using Cause = std::variant<OpId, std::size_t>;  // an op, or the position of a transfer

  std::optional<Cause> step_back(OpId op) {
    path_.ops.push_back(op);
    Wait& wait = path_.steps.emplace_back(CriticalStep{false, op.index()}).wait;
    seen_[op.index()] = 1;
    const OpRun& run = schedule_.ops[op.index()];
    if (run.start_ps == 0 && problem_.graph().inputs(op).empty()) return std::nullopt;
    if (const auto input = last_input(run)) {
      wait = Wait::kData;
      return input;
    }
    if (run.start_ps == 0) return std::nullopt;
    wait = Wait::kDevice;
    return what_freed(run);
  }

  std::optional<Cause> step_back(std::size_t transfer) {
    path_.transfers.push_back(transfer);
    Wait& wait = path_.steps.emplace_back(CriticalStep{true, transfer, Wait::kData}).wait;
    const TransferRun& run = schedule_.transfers[transfer];
    if (run.begin_ps == run.requested_ps) return producer_of(run.tensor);
    const LinkChannels channels = problem_.topology().channels(run.from, run.to);
    for (std::size_t before = transfer; before-- > 0;) {
      const TransferRun& other = schedule_.transfers[before];
      if (other.end_ps != run.begin_ps) continue;
      const LinkChannels others = problem_.topology().channels(other.from, other.to);
      if (std::ranges::find_first_of(channels, others) == channels.end()) continue;
      wait = Wait::kChannel;
      return before;
    }
    return std::nullopt;
  }

  OpId producer_of(TensorId tensor) const { return problem_.graph().tensor(tensor).producer; }

  /// What brought an input at the moment when the op began.
  std::optional<Cause> last_input(const OpRun& run) const {
    for (const TensorId tensor : problem_.graph().inputs(run.op)) {
      const OpRun& producer = schedule_.ops[producer_of(tensor).index()];
      const bool travels =
          producer.device != run.device && problem_.graph().tensor(tensor).bytes > 0;
      if (!travels) {
        if (producer.end_ps == run.start_ps && seen_[producer.op.index()] == 0) return producer.op;
        continue;
      }
      for (const std::size_t at : arrivals(run.device, run.start_ps)) {
        if (schedule_.transfers[at].tensor == tensor) return at;
      }
    }
    return std::nullopt;
  }

  /// What ended on the device, or arrived there, at the moment when the op began; in a strict
  /// sequence with several slots the input of an op that began with it. What takes no time comes
  /// last, since it may have run after the op.
  std::optional<Cause> what_freed(const OpRun& run) const {
    const auto ended = all_at(by_end_, std::pair(run.device.index(), run.start_ps),
                              [&](std::size_t at) { return device_and_end(schedule_.ops[at]); });
    for (const std::size_t at : ended) {
      if (schedule_.ops[at].start_ps < run.start_ps) return schedule_.ops[at].op;
    }
    const auto arrived = arrivals(run.device, run.start_ps);
    if (!arrived.empty()) return arrived.front();
    const auto begun = all_at(by_start_, device_and_start(run),
                              [&](std::size_t at) { return device_and_start(schedule_.ops[at]); });
    for (const std::size_t at : begun) {
      if (const auto input = last_input(schedule_.ops[at])) return input;
    }
    for (const std::size_t at : ended) {
      if (seen_[at] == 0) return schedule_.ops[at].op;
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
  std::vector<char> seen_;              // by op
  CriticalPath path_;
};

}  // namespace

CriticalPath critical_path(const Problem& problem, const Schedule& schedule) {
  return Walk(problem, schedule).from_last();
}

}  // namespace placer
