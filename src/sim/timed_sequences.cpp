// As in strict.cpp each device takes its ops in a sequence that is known beforehand, but shared
// channels want requests in the order of their times. So this path walks through the moments at
// which a device takes its next op, in ascending order, and serves requests up to the next one:
// what is committed from then on ends later, and what they bring arrives later than they were made.
#include "sim/timed_sequences.hpp"

#include <algorithm>
#include <limits>

namespace placer {
namespace {

constexpr Picoseconds kNoTake = std::numeric_limits<Picoseconds>::max();

}  // namespace

TimedSequencesPath::TimedSequencesPath(const CompactLayout& layout, Order order)
    : layout_(layout),
      order_(order),
      commits_(layout),
      by_rank_(layout),
      devices_(layout.devices),
      sequences_(layout.op_count()),
      next_take_(layout.devices) {}

std::optional<Score> TimedSequencesPath::evaluate(const Placement& placement,
                                                  const Sequences* sequences, Picoseconds most_ps) {
  reset(placement);
  if (order_ == Order::kProgram) {
    for (std::uint32_t op = 0; op < layout_.op_count(); ++op) append(op);
  } else if (sequences == nullptr) {
    if (!by_rank_.visit(commits_, [this](std::uint32_t op) { append(op); })) return std::nullopt;
  } else {
    for (const std::vector<OpId>& sequence : *sequences) {
      for (const OpId id : sequence) append(layout_.op_of[id.index()]);
    }
  }
  return run(most_ps);
}

std::optional<Score> TimedSequencesPath::evaluate(const Placement& placement, const OpOrder& order,
                                                  Picoseconds most_ps) {
  reset(placement);
  for (const OpId id : order) append(layout_.op_of[id.index()]);
  return run(most_ps);
}

void TimedSequencesPath::reset(const Placement& placement) {
  commits_.reset(placement);
  std::ranges::fill(devices_, DeviceState{});
  for (std::uint32_t op = 0; op < layout_.op_count(); ++op) ++devices_[commits_.op(op).device].end;
  std::size_t first = 0;
  for (DeviceState& device : devices_) {
    const std::size_t count = device.end;
    device.next = device.end = first;
    first += count;
  }
}

std::optional<Score> TimedSequencesPath::run(Picoseconds most_ps) {
  for (std::size_t device = 0; device < devices_.size(); ++device) find_next_take(device);
  const auto first_take = [this] { return std::ranges::min(next_take_); };
  const auto on_ready = [this](std::uint32_t op, Picoseconds) {
    const std::uint32_t device = commits_.op(op).device;
    if (next_take_[device] == kNoTake) find_next_take(device);
  };
  for (std::size_t left = layout_.op_count(); left > 0; --left) {
    commits_.serve(first_take, on_ready);
    const auto device =
        static_cast<std::size_t>(std::ranges::min_element(next_take_) - next_take_.begin());
    if (next_take_[device] == kNoTake) return Score::deadlock();
    DeviceState& state = devices_[device];
    const std::uint32_t op = sequences_[state.next++];
    next_take_[device] = kNoTake;
    commits_.commit(op, on_ready);
    find_next_take(device);
  }
  if (commits_.too_long()) return std::nullopt;
  return commits_.score(most_ps);
}

void TimedSequencesPath::find_next_take(std::size_t device) {
  const DeviceState& state = devices_[device];
  next_take_[device] = kNoTake;
  if (state.next == state.end) return;
  const OpState& op = commits_.op(sequences_[state.next]);
  if (op.missing > 0) return;
  next_take_[device] = std::max(op.ready, commits_.free_at(static_cast<std::uint32_t>(device)));
}

}  // namespace placer
