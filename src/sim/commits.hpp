#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "placer/sim/score.hpp"
#include "sim/channels.hpp"
#include "sim/compact_layout.hpp"
#include "sim/memory_sweep.hpp"
#include "sim/requests.hpp"

namespace placer {

/// When something happens: at a time and, where that matters, in a round of that instant. It is one
/// number with the round in its lowest bits.
using Moment = std::int64_t;

/// Whether each channel has one sender, or several share it.
enum class Channels { kSole, kShared };

/// Whether moments hold rounds. Without rounds a moment is a time in ps.
enum class Rounds { kIgnored, kTold };

template <Rounds kRounds>
struct Moments {
  static constexpr int kRoundBits = kRounds == Rounds::kTold ? 10 : 0;
  static constexpr Moment kLastRound = (Moment{1} << kRoundBits) - 1;
  static constexpr Picoseconds kLongestStep = Picoseconds{1} << (62 - kRoundBits);

  static Picoseconds time_ps(Moment moment) { return moment >> kRoundBits; }
  /// When something takes effect that begins at `begin` and ends at `end_ps`. What takes no time
  /// ends in the next round.
  static Moment end(Moment begin, Picoseconds end_ps) {
    if constexpr (kRounds == Rounds::kIgnored) return end_ps;
    return end_ps > time_ps(begin) ? end_ps << kRoundBits : begin + 1;
  }
};

/// The state of a step whose ops are committed one by one: with an op's start are known at once its
/// end, its transfers and what its consumers wait for, without an event for any of them.
///
/// Exact with sole senders (CompactLayout::sole_senders()) if each device's ops are committed in
/// the order in which it takes them, and each op after its producers. Whatever an op's times depend
/// on, the device's last end and the channels' last transfer, then stems from one device: with one
/// slot its ops end, and so ask for their transfers, in the order in which they start, each in a
/// round of its own, and a channel serves the requests of that device alone in just that order; the
/// tensors of one op by id, a tensor's receivers by device id. How commits of different devices
/// interleave changes nothing.
///
/// Where senders share channels, a transfer is only asked for when its op is committed, and is
/// served when the caller says so: all requests of a time before any op that is taken later, and
/// none before all ops that are taken earlier are committed. That is exact where all takes time:
/// requests are then served in the order of (time, tensor, device), and an instant has one round
/// of them.
///
/// If rounds are told, up to 1,023 of an instant, steps are not longer than Moments::kLongestStep.
template <Rounds kRounds, Channels kChannels = Channels::kSole>
class Commits {
  static_assert(kRounds == Rounds::kIgnored || kChannels == Channels::kSole);

 public:
  using Clock = Moments<kRounds>;

  explicit Commits(const CompactLayout& layout)
      : layout_(layout),
        ops_(layout.op_count()),
        free_at_(layout.devices),
        present_at_(layout.devices),
        channel_free_at_(layout.channels),
        held_bytes_(layout.devices),
        recording_(layout.memory_may_be_short()),
        requests_(layout),
        sweep_(layout) {
    record_.order.reserve(layout.op_count());
    record_.end_ps.resize(layout.op_count());
    record_.transfers.reserve(layout.edge_consumers.size());
  }

  void reset(const Placement& placement) {
    std::ranges::fill(held_bytes_, 0);
    for (std::size_t op = 0; op < ops_.size(); ++op) {
      const std::size_t device = placement[GroupId(layout_.group_of[op])].index();
      ops_[op] = {0, layout_.input_count[op], static_cast<std::uint32_t>(device)};
      held_bytes_[device] += layout_.op_bytes[op];
    }
    record_.order.clear();
    record_.transfers.clear();
    too_many_rounds_ = false;
    std::ranges::fill(free_at_, 0);
    std::ranges::fill(channel_free_at_, 0);
    requests_.clear();
  }

  const OpState& op(std::uint32_t op) const { return ops_[op]; }
  Moment free_at(std::uint32_t device) const { return free_at_[device]; }
  /// The step time. May be called once all ops are committed.
  Picoseconds step_ps() const { return Clock::time_ps(*std::ranges::max_element(free_at_)); }
  /// What the ops of a device take, where it is most: no step is shorter.
  Picoseconds longest_load_ps() const {
    std::vector<Picoseconds> loads_ps(free_at_.size(), 0);
    for (std::uint32_t op = 0; op < ops_.size(); ++op) {
      loads_ps[ops_[op].device] += layout_.op_ps(op, ops_[op].device);
    }
    return *std::ranges::max_element(loads_ps);
  }
  /// Whether the result is of no use, because an instant had more rounds than a moment can hold or
  /// a time was too long for the keys.
  bool too_many_rounds() const { return too_many_rounds_; }
  bool too_long() const {
    return kChannels == Channels::kShared && !requests_.in_order_until(step_ps());
  }
  /// The score. May be called once all ops are committed. Memory is followed only on devices that
  /// would hold too much if they freed nothing, and in steps that take `most_ps` at most; longer
  /// ones score Score::too_long. Empty where a time is too long for that.
  std::optional<Score> score(Picoseconds most_ps) {
    std::uint64_t short_devices = 0;
    for (std::size_t d = 0; d < held_bytes_.size(); ++d) {
      const bool is_short = held_bytes_[d] > layout_.capacity_bytes[d];
      short_devices |= std::uint64_t{is_short} << d;
    }
    const Picoseconds step = step_ps();
    if (short_devices == 0) return Score{0, step};
    if (step > most_ps) return Score::too_long(step);
    const auto overflow_bytes = sweep_.overflow_bytes(record_, ops_, short_devices, step);
    if (!overflow_bytes) return std::nullopt;
    return Score{*overflow_bytes, step};
  }

  /// Runs `op`, whose inputs are all known, as its device's next; `on_ready(consumer, ready)` is
  /// called for each consumer that misses no other input, with the moment at which it is ready.
  template <class OnReady>
  void commit(std::uint32_t op, OnReady on_ready) {
    const auto [ready, missing, device] = ops_[op];
    const Moment start = std::max(ready, free_at_[device]);
    const Picoseconds end_ps = Clock::time_ps(start) + layout_.op_ps(op, device);
    const Moment end = passed(Clock::end(start, end_ps));
    free_at_[device] = end;
    if (recording_) {
      record_.order.push_back(op);
      record_.end_ps[op] = end_ps;
    }
    for (std::uint32_t t = layout_.first_tensor[op]; t < layout_.first_tensor[op + 1]; ++t) {
      send(t, device, end, on_ready);
    }
  }

  /// Serves all requests up to the time `until()`, which is asked for again before each.
  template <class Until, class OnReady>
  void serve(Until until, OnReady on_ready) {
    while (!requests_.empty() && requests_.time_ps() <= until()) serve_next(on_ready);
  }

 private:
  /// Every moment passes through here, which notes when one has too many rounds.
  Moment passed(Moment moment) {
    if constexpr (kRounds == Rounds::kTold) {
      too_many_rounds_ = too_many_rounds_ || (moment & Clock::kLastRound) == Clock::kLastRound;
    }
    return moment;
  }

  template <class OnReady>
  void send(std::uint32_t tensor, std::uint32_t from, Moment now, OnReady on_ready) {
    const auto [bytes, first_edge, end_edge] = layout_.tensors[tensor];
    if (bytes == 0) {
      for (std::uint32_t edge = first_edge; edge < end_edge; ++edge) {
        deliver(layout_.edge_consumers[edge], now, on_ready);
      }
      return;
    }
    if constexpr (kChannels == Channels::kShared) return ask(tensor, from, now, on_ready);
    if (end_edge - first_edge == 1) {
      const std::uint32_t consumer = layout_.edge_consumers[first_edge];
      const std::uint32_t to = ops_[consumer].device;
      deliver(consumer, to == from ? now : transfer(tensor, from, to, now), on_ready);
      return;
    }
    std::uint64_t receivers = receivers_of(tensor, from);
    if (receivers == 0) {
      for (std::uint32_t edge = first_edge; edge < end_edge; ++edge) {
        deliver(layout_.edge_consumers[edge], now, on_ready);
      }
      return;
    }
    present_at_[from] = now;
    for (; receivers != 0; receivers &= receivers - 1) {
      const auto to = static_cast<std::uint32_t>(std::countr_zero(receivers));
      present_at_[to] = transfer(tensor, from, to, now);
    }
    for (std::uint32_t edge = first_edge; edge < end_edge; ++edge) {
      const std::uint32_t consumer = layout_.edge_consumers[edge];
      deliver(consumer, present_at_[ops_[consumer].device], on_ready);
    }
  }

  /// The devices other than `from` that consume the tensor, as a set of bits.
  std::uint64_t receivers_of(std::uint32_t tensor, std::uint32_t from) const {
    const auto [bytes, first_edge, end_edge] = layout_.tensors[tensor];
    std::uint64_t receivers = 0;
    for (std::uint32_t edge = first_edge; edge < end_edge; ++edge) {
      receivers |= std::uint64_t{1} << ops_[layout_.edge_consumers[edge]].device;
    }
    return receivers & ~(std::uint64_t{1} << from);
  }

  /// The tensor is there `now` for consumers on its own device; for the others its transfers are
  /// requested.
  template <class OnReady>
  void ask(std::uint32_t tensor, std::uint32_t from, Picoseconds now, OnReady on_ready) {
    const auto [bytes, first_edge, end_edge] = layout_.tensors[tensor];
    for (std::uint32_t edge = first_edge; edge < end_edge; ++edge) {
      const std::uint32_t consumer = layout_.edge_consumers[edge];
      if (ops_[consumer].device == from) deliver(consumer, now, on_ready);
    }
    std::uint64_t receivers = receivers_of(tensor, from);
    if (receivers == 0) return;
    requests_.push(tensor, now, record_.transfers.size());
    for (; receivers != 0; receivers &= receivers - 1) {
      const auto to = static_cast<std::uint32_t>(std::countr_zero(receivers));
      held_bytes_[to] += bytes;
      if (recording_) record_.transfers.push_back({tensor, to, now, now});
    }
  }

  template <class OnReady>
  void serve_next(OnReady on_ready) {
    const Picoseconds now_ps = requests_.time_ps();
    const std::uint32_t tensor = requests_.pop();
    const std::uint32_t from = ops_[layout_.producer[tensor]].device;
    std::size_t recorded = requests_.first_transfer(tensor);
    std::uint64_t receivers = receivers_of(tensor, from);
    for (; receivers != 0; receivers &= receivers - 1) {
      const auto to = static_cast<std::uint32_t>(std::countr_zero(receivers));
      const auto [begin_ps, end_ps] = occupy(tensor, from, to, now_ps);
      present_at_[to] = end_ps;
      if (recording_) record_.transfers[recorded++] = {tensor, to, begin_ps, end_ps};
    }
    const auto [bytes, first_edge, end_edge] = layout_.tensors[tensor];
    for (std::uint32_t edge = first_edge; edge < end_edge; ++edge) {
      const std::uint32_t consumer = layout_.edge_consumers[edge];
      const std::uint32_t to = ops_[consumer].device;
      if (to != from) deliver(consumer, present_at_[to], on_ready);
    }
  }

  TransferTime occupy(std::uint32_t tensor, std::uint32_t from, std::uint32_t to,
                      Picoseconds now_ps) {
    return occupy_route(channel_free_at_, layout_.channels_of(from, to), now_ps,
                        layout_.transfer_ps(tensor, layout_.wire(from, to)));
  }

  /// The moment at which the tensor is on the other device.
  Moment transfer(std::uint32_t tensor, std::uint32_t from, std::uint32_t to, Moment now) {
    const CompactLayout::Wire& wire = layout_.wire(from, to);
    const auto [begin_ps, end_ps] =
        occupy_wire(channel_free_at_, wire, Clock::time_ps(now), layout_.transfer_ps(tensor, wire));
    held_bytes_[to] += layout_.tensors[tensor].bytes;
    if (recording_) record_.transfers.push_back({tensor, to, begin_ps, end_ps});
    return passed(Clock::end(now, end_ps));
  }

  template <class OnReady>
  void deliver(std::uint32_t consumer, Moment at, OnReady on_ready) {
    OpState& state = ops_[consumer];
    state.ready = std::max(state.ready, at);
    if (--state.missing == 0) on_ready(consumer, state.ready);
  }

  const CompactLayout& layout_;
  std::vector<OpState> ops_;
  std::vector<Moment> free_at_;               // by device
  std::vector<Moment> present_at_;            // by device: the tensor that is sent
  std::vector<Picoseconds> channel_free_at_;  // the last one stays 0
  std::vector<std::int64_t> held_bytes_;      // by device, if nothing were ever freed
  const bool recording_;
  bool too_many_rounds_ = false;
  StepRecord record_;
  Requests requests_;  // of shared channels
  MemorySweep sweep_;
};

}  // namespace placer
