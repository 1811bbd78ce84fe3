#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "placer/sim/score.hpp"
#include "sim/compact_layout.hpp"

namespace placer {

/// The state of a step whose ops are committed one by one: with an op's start are known at once its
/// end, its transfers and what its consumers wait for, without an event for any of them.
///
/// Exact under CompactLayout::sole_senders() if each device's ops are committed in the order in
/// which it takes them, and each op after its producers. Whatever an op's times depend on, the
/// device's last end and the channels' last transfer, then stems from one device: with one slot its
/// ops end, and so ask for their transfers, in the order in which they start, each in a round of
/// its own, and a channel serves the requests of that device alone in just that order; the tensors
/// of one op by id, a tensor's receivers by device id. How commits of different devices interleave
/// changes nothing.
class Commits {
 public:
  struct OpState {
    Picoseconds ready_ps;   // the last arrival so far
    std::uint32_t missing;  // inputs
    std::uint32_t device;
  };

  explicit Commits(const CompactLayout& layout)
      : layout_(layout),
        ops_(layout.op_count()),
        free_at_(layout.devices),
        present_at_(layout.devices),
        channel_free_at_(layout.channels),
        held_bytes_(layout.devices) {}

  void reset(const Placement& placement) {
    std::ranges::fill(held_bytes_, 0);
    for (std::size_t op = 0; op < ops_.size(); ++op) {
      const std::size_t device = placement[GroupId(layout_.group_of[op])].index();
      ops_[op] = {0, layout_.input_count[op], static_cast<std::uint32_t>(device)};
      held_bytes_[device] += layout_.op_bytes[op];
    }
    std::ranges::fill(free_at_, 0);
    std::ranges::fill(channel_free_at_, 0);
  }

  const OpState& op(std::uint32_t op) const { return ops_[op]; }
  Picoseconds free_at_ps(std::uint32_t device) const { return free_at_[device]; }
  /// Once all ops are committed.
  Picoseconds step_ps() const { return *std::ranges::max_element(free_at_); }
  /// Once all ops are committed. Nothing where a device would hold too much if it freed nothing.
  std::optional<Score> score() const {
    if (!std::ranges::equal(held_bytes_, layout_.capacity_bytes, std::ranges::less_equal())) {
      return std::nullopt;
    }
    return Score{0, step_ps()};
  }

  /// Runs `op`, whose inputs are all known, as its device's next; `on_ready(consumer, ready_ps)` is
  /// called for each consumer that misses no other input. Returns the op's time.
  template <class OnReady>
  Picoseconds commit(std::uint32_t op, OnReady on_ready) {
    const auto [ready_ps, missing, device] = ops_[op];
    const Picoseconds duration_ps = layout_.op_ps(op, device);
    const Picoseconds end_ps = std::max(ready_ps, free_at_[device]) + duration_ps;
    free_at_[device] = end_ps;
    for (std::uint32_t t = layout_.first_tensor[op]; t < layout_.first_tensor[op + 1]; ++t) {
      send(t, device, end_ps, on_ready);
    }
    return duration_ps;
  }

 private:
  template <class OnReady>
  void send(std::uint32_t tensor, std::uint32_t from, Picoseconds now_ps, OnReady on_ready) {
    const auto [bytes, first_edge, end_edge] = layout_.tensors[tensor];
    if (bytes == 0) {
      for (std::uint32_t edge = first_edge; edge < end_edge; ++edge) {
        deliver(layout_.edge_consumers[edge], now_ps, on_ready);
      }
      return;
    }
    std::uint64_t receivers = 0;
    for (std::uint32_t edge = first_edge; edge < end_edge; ++edge) {
      receivers |= std::uint64_t{1} << ops_[layout_.edge_consumers[edge]].device;
    }
    receivers &= ~(std::uint64_t{1} << from);
    present_at_[from] = now_ps;
    for (; receivers != 0; receivers &= receivers - 1) {
      const auto to = static_cast<std::uint32_t>(std::countr_zero(receivers));
      present_at_[to] = transfer(tensor, layout_.wire(from, to), now_ps);
      held_bytes_[to] += bytes;
    }
    for (std::uint32_t edge = first_edge; edge < end_edge; ++edge) {
      const std::uint32_t consumer = layout_.edge_consumers[edge];
      deliver(consumer, present_at_[ops_[consumer].device], on_ready);
    }
  }

  /// When it ends.
  Picoseconds transfer(std::uint32_t tensor, const CompactLayout::Wire& wire, Picoseconds now_ps) {
    Picoseconds& free_at = channel_free_at_[wire.channel];
    const Picoseconds end_ps = std::max(now_ps, free_at) + layout_.transfer_ps(tensor, wire);
    if (wire.channel + 1 < layout_.channels) free_at = end_ps;
    return end_ps;
  }

  template <class OnReady>
  void deliver(std::uint32_t consumer, Picoseconds at_ps, OnReady on_ready) {
    OpState& state = ops_[consumer];
    state.ready_ps = std::max(state.ready_ps, at_ps);
    if (--state.missing == 0) on_ready(consumer, state.ready_ps);
  }

  const CompactLayout& layout_;
  std::vector<OpState> ops_;
  std::vector<Picoseconds> free_at_;          // by device
  std::vector<Picoseconds> present_at_;       // by device: the tensor that is sent
  std::vector<Picoseconds> channel_free_at_;  // the last one stays 0
  std::vector<std::int64_t> held_bytes_;      // by device, if nothing were ever freed
};

}  // namespace placer
