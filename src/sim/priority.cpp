// Under priority and pct a free device takes the ready op of the largest rank. This path walks
// through the moments at which a device takes an op, in the order of time, and commits that op at
// once.
//
// Why that is exact where ops and transfers that move bytes take time, and senders are alone
// (commits.hpp):
// * Nothing ends in the instant in which it begins. So whatever is ready on a device at t comes
//   from ops that started before t, all of which have been committed when t is reached; and what
//   two devices take at the same t does not depend on each other.
// * A device with ready ops takes the next one when it is free; one without, when it is free and
//   the first op becomes ready. An op committed at t adds ready ops after t only, so the moments
//   come in ascending order, and a device's moment moves to an earlier one only as long as that is
//   after t.
// * Until a device is free it takes nothing, so ops that become ready by then may join the ready
//   ones at once.
// * Keys of 64 bits hold a time above an id; one that does not fit ends up as a step that is too
//   long as well, seen at the end, and then the result is not used. Ranks are checked beforehand.
// An op that takes no time on its device ends the evaluation; the general loop must do it.
#include "sim/priority.hpp"

#include <algorithm>
#include <limits>

#include "sim/radix.hpp"

namespace placer {
namespace {

constexpr Picoseconds kNever = std::numeric_limits<Picoseconds>::max();

}  // namespace

template <RankTies kTies>
PriorityPath<kTies>::PriorityPath(const CompactLayout& layout)
    : layout_(layout),
      commits_(layout),
      ranks_(layout),
      devices_(layout.devices),
      next_take_ps_(layout.devices),
      ready_keys_(layout.op_count()),
      coming_keys_(layout.op_count()) {}

template <RankTies kTies>
std::optional<Score> PriorityPath<kTies>::evaluate(const Placement& placement, const Sequences*) {
  commits_.reset(placement);
  if (!ranks_.fill(commits_)) return std::nullopt;
  reset();
  for (std::size_t left = layout_.op_count(); left > 0; --left) {
    const auto next = std::ranges::min_element(next_take_ps_);
    if (!take_next(static_cast<std::uint32_t>(next - next_take_ps_.begin()))) return std::nullopt;
  }
  if (!fits_above(ranks_.tie_bits(), commits_.step_ps())) return std::nullopt;
  return commits_.score();
}

/// Gives each device parts of the keys' memory as long as its ops.
template <RankTies kTies>
void PriorityPath<kTies>::reset() {
  for (DeviceState& device : devices_) device.op_count = 0;
  for (std::uint32_t op = 0; op < layout_.op_count(); ++op) {
    ++devices_[commits_.op(op).device].op_count;
  }
  std::size_t first = 0;
  for (DeviceState& device : devices_) {
    device.ready = ReadyQueue<Key>(std::span(ready_keys_).subspan(first, device.op_count), {});
    device.coming =
        ReadyQueue<std::uint64_t>(std::span(coming_keys_).subspan(first, device.op_count), {});
    first += device.op_count;
  }
  std::ranges::fill(next_take_ps_, kNever);
  for (const std::uint32_t op : layout_.sources) enqueue(op, 0);
}

template <RankTies kTies>
void PriorityPath<kTies>::enqueue(std::uint32_t op, Picoseconds ready_ps) {
  const std::uint32_t device = commits_.op(op).device;
  const Picoseconds free_at_ps = commits_.free_at_ps(device);
  const std::uint64_t coming_key =
      static_cast<std::uint64_t>(ready_ps) << ranks_.tie_bits() | layout_.id_of[op];
  if (ready_ps <= free_at_ps) {
    devices_[device].ready.push(ready_key(coming_key));
  } else {
    devices_[device].coming.push(coming_key);
  }
  next_take_ps_[device] = std::min(next_take_ps_[device], std::max(ready_ps, free_at_ps));
}

template <RankTies kTies>
auto PriorityPath<kTies>::ready_key(std::uint64_t coming_key) const -> Key {
  const std::uint32_t op = op_in(coming_key);
  if constexpr (kTies == RankTies::kById) {
    return ranks_.key(op, layout_.id_of[op]);
  } else {
    return {ranks_.key(op, 0), coming_key};
  }
}

/// False where the op that it takes ends at once, or a key was too large.
template <RankTies kTies>
bool PriorityPath<kTies>::take_next(std::uint32_t device) {
  DeviceState& state = devices_[device];
  const Picoseconds now_ps = next_take_ps_[device];
  const std::uint64_t end_key = static_cast<std::uint64_t>(now_ps + 1) << ranks_.tie_bits();
  while (!state.coming.empty() && state.coming.front() < end_key) {
    state.ready.push(ready_key(state.coming.pop()));
  }
  if (state.ready.empty()) return false;
  const std::uint32_t op = op_in(state.ready.pop());
  const auto on_ready = [this](std::uint32_t consumer, Picoseconds ready_ps) {
    enqueue(consumer, ready_ps);
  };
  if (commits_.commit(op, on_ready) == 0) return false;
  next_take_ps_[device] = next_take_ps(device);
  return true;
}

template <RankTies kTies>
Picoseconds PriorityPath<kTies>::next_take_ps(std::uint32_t device) const {
  const DeviceState& state = devices_[device];
  const Picoseconds free_at_ps = commits_.free_at_ps(device);
  if (!state.ready.empty()) return free_at_ps;
  if (state.coming.empty()) return kNever;
  return std::max(free_at_ps, static_cast<Picoseconds>(state.coming.front() >> ranks_.tie_bits()));
}

template class PriorityPath<RankTies::kById>;
template class PriorityPath<RankTies::kByReadyTime>;

}  // namespace placer
