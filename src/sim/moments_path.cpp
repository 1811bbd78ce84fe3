// A free device takes the ready op that comes first by rank, or by ready time. This path walks
// through the moments at which a device takes an op, in ascending order, and commits that op at
// once.
//
// Why that is exact (commits.hpp). A moment is a time where all ops and
// transfers take time, else a time and a round of that instant:
// * Nothing ends in the moment in which it begins: what takes no time ends in the next round. So
//   whatever is ready on a device at a moment comes from ops that started before, all of which have
//   been committed when that moment is reached; and what two devices take at the same moment does
//   not depend on each other.
// * A device with ready ops takes the next one when it is free; one without, when it is free and
//   the first op becomes ready. An op committed at a moment adds ready ops after it only, so the
//   moments come in ascending order, and a device's moves to an earlier one only as long as that is
//   after the present.
// * Until a device is free it takes nothing, so ops that become ready by then may join the ready
//   ones at once. Among those the round in which one became ready counts for nothing.
// * Requests for shared channels are served up to the next moment: what is committed from then on
//   ends later, and what they bring arrives later than they were made.
// * Keys of 64 bits hold a time above an id. One that does not fit reads as an earlier time, so a
//   device still finds a ready op at each of its moments. The step then is too long as well, seen
//   at the end, and the result is not used. Ranks are checked beforehand.
#include "sim/moments_path.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

#include "sim/radix.hpp"

namespace placer {
namespace {

constexpr Moment kNever = std::numeric_limits<Moment>::max();

}  // namespace

template <Order kOrder, Rounds kRounds, Channels kChannels>
MomentsPath<kOrder, kRounds, kChannels>::MomentsPath(const CompactLayout& layout)
    : layout_(layout),
      commits_(layout),
      ranks_(layout),
      devices_(layout.devices),
      next_take_(layout.devices),
      keys_(layout.op_count()),
      coming_(layout.op_count()) {}

template <Order kOrder, Rounds kRounds, Channels kChannels>
std::optional<Score> MomentsPath<kOrder, kRounds, kChannels>::evaluate(const Placement& placement,
                                                                       const Sequences*,
                                                                       Picoseconds most_ps) {
  commits_.reset(placement);
  if (kOrder != Order::kFifo && !ranks_.fill(commits_)) return std::nullopt;
  reset();
  for (std::size_t left = layout_.op_count(); left > 0; --left) {
    if constexpr (kChannels == Channels::kShared) serve();
    const auto next = std::ranges::min_element(next_take_);
    take_next(static_cast<std::uint32_t>(next - next_take_.begin()));
  }
  if (commits_.too_many_rounds() || commits_.too_long()) return std::nullopt;
  if (!fits_above(ranks_.tie_bits(), commits_.step_ps())) return std::nullopt;
  return commits_.score(most_ps);
}

/// Gives each device parts of the keys' memory as long as its ops.
template <Order kOrder, Rounds kRounds, Channels kChannels>
void MomentsPath<kOrder, kRounds, kChannels>::reset() {
  for (DeviceState& device : devices_) device.op_count = 0;
  for (std::uint32_t op = 0; op < layout_.op_count(); ++op) {
    ++devices_[commits_.op(op).device].op_count;
  }
  std::size_t first = 0;
  for (DeviceState& device : devices_) {
    device.ready = ReadyQueue<Key>(std::span(keys_).subspan(first, device.op_count), {});
    device.coming = ReadyQueue<Coming>(std::span(coming_).subspan(first, device.op_count), {});
    first += device.op_count;
  }
  std::ranges::fill(next_take_, kNever);
  for (const std::uint32_t op : layout_.sources) enqueue(op, 0);
}

template <Order kOrder, Rounds kRounds, Channels kChannels>
void MomentsPath<kOrder, kRounds, kChannels>::serve() {
  commits_.serve([this] { return std::ranges::min(next_take_); },
                 [this](std::uint32_t consumer, Moment ready) { enqueue(consumer, ready); });
}

template <Order kOrder, Rounds kRounds, Channels kChannels>
void MomentsPath<kOrder, kRounds, kChannels>::enqueue(std::uint32_t op, Moment ready) {
  const std::uint32_t device = commits_.op(op).device;
  const Moment free_at = commits_.free_at(device);
  const ByTime by_time =
      static_cast<ByTime>(Clock::time_ps(ready)) << ranks_.tie_bits() | layout_.id_of[op];
  if (ready <= free_at) {
    devices_[device].ready.push(key(by_time));
  } else {
    devices_[device].coming.push(coming(ready, by_time));
  }
  next_take_[device] = std::min(next_take_[device], std::max(ready, free_at));
}

template <Order kOrder, Rounds kRounds, Channels kChannels>
auto MomentsPath<kOrder, kRounds, kChannels>::key(ByTime by_time) const -> Key {
  const std::uint32_t op = op_in(by_time);
  if constexpr (kOrder == Order::kFifo) return by_time;
  if constexpr (kOrder == Order::kPriority) return ranks_.key(op, layout_.id_of[op]);
  if constexpr (kOrder == Order::kPct) return {ranks_.key(op, 0), by_time};
}

template <Order kOrder, Rounds kRounds, Channels kChannels>
auto MomentsPath<kOrder, kRounds, kChannels>::coming(Moment ready, ByTime by_time) const -> Coming {
  if constexpr (kRounds == Rounds::kTold) return {static_cast<std::uint64_t>(ready), by_time};
  if constexpr (kRounds == Rounds::kIgnored) return by_time;
}

template <Order kOrder, Rounds kRounds, Channels kChannels>
Moment MomentsPath<kOrder, kRounds, kChannels>::moment(const Coming& coming) const {
  if constexpr (kRounds == Rounds::kTold) return static_cast<Moment>(coming.first);
  if constexpr (kRounds == Rounds::kIgnored) {
    return static_cast<Moment>(coming >> ranks_.tie_bits());
  }
}

template <Order kOrder, Rounds kRounds, Channels kChannels>
void MomentsPath<kOrder, kRounds, kChannels>::take_next(std::uint32_t device) {
  DeviceState& state = devices_[device];
  const Moment now = next_take_[device];
  while (!state.coming.empty() && moment(state.coming.front()) <= now) {
    const Coming next = state.coming.pop();
    if constexpr (kRounds == Rounds::kTold) state.ready.push(key(next.by_time));
    if constexpr (kRounds == Rounds::kIgnored) state.ready.push(key(next));
  }
  assert(!state.ready.empty());
  const auto on_ready = [this](std::uint32_t consumer, Moment ready) { enqueue(consumer, ready); };
  commits_.commit(op_in(state.ready.pop()), on_ready);
  next_take_[device] = next_take(device);
}

template <Order kOrder, Rounds kRounds, Channels kChannels>
Moment MomentsPath<kOrder, kRounds, kChannels>::next_take(std::uint32_t device) const {
  const DeviceState& state = devices_[device];
  const Moment free_at = commits_.free_at(device);
  if (!state.ready.empty()) return free_at;
  if (state.coming.empty()) return kNever;
  return std::max(free_at, moment(state.coming.front()));
}

template class MomentsPath<Order::kPriority, Rounds::kIgnored>;
template class MomentsPath<Order::kPct, Rounds::kIgnored>;
template class MomentsPath<Order::kPriority, Rounds::kIgnored, Channels::kShared>;
template class MomentsPath<Order::kPct, Rounds::kIgnored, Channels::kShared>;
template class MomentsPath<Order::kFifo, Rounds::kTold>;
template class MomentsPath<Order::kPriority, Rounds::kTold>;
template class MomentsPath<Order::kPct, Rounds::kTold>;

}  // namespace placer
