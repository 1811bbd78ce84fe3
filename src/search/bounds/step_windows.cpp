#include "search/bounds/step_windows.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "search/lists/occupancy.hpp"
#include "search/lists/timeline.hpp"

namespace placer {
namespace {

constexpr Picoseconds kFarPs = std::numeric_limits<Picoseconds>::max() / 4;
constexpr int kMostRounds = 30;

class Propagation {
 public:
  Propagation(const Problem& problem, const MemoryFit& fit, Picoseconds limit_ps)
      : problem_(problem),
        graph_(problem.graph()),
        devices_(problem.device_count()),
        may_go_(problem.groups().size() * devices_, 0),
        fixed_(problem.op_count(), 0),
        sent_at_once_(graph_.tensors().size() * devices_, 0),
        on_devices_(devices_),
        on_channels_(problem.topology().channel_count()) {
    for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
      for (const DeviceId device : fit.devices(group)) may_go_[at(group, device)] = 1;
    }
    windows_.starts_ps.resize(problem.op_count() * devices_);
    windows_.ends_ps.resize(problem.op_count() * devices_, limit_ps);
  }

  StepWindows windows(const std::function<bool()>& stop) {
    changed_ = true;
    for (int round = 0; changed_ && windows_.possible && round < kMostRounds; ++round) {
      if (stop && stop()) break;
      changed_ = false;
      for (const OpId op : graph_.program_order()) find_starts(op);
      const std::vector<OpId>& order = graph_.program_order();
      std::for_each(order.rbegin(), order.rend(), [&](OpId op) { find_ends(op); });
      for (const OpId op : order) bar_what_ends_late(op);
      for (const OpId op : order) reserve(op);
    }
    return std::move(windows_);
  }

 private:
  std::size_t at(GroupId group, DeviceId device) const {
    return group.index() * devices_ + device.index();
  }
  std::size_t at(OpId op, DeviceId device) const { return op.index() * devices_ + device.index(); }
  bool may_be(OpId op, DeviceId device) const {
    return may_go_[at(problem_.groups().of(op), device)] != 0;
  }
  Picoseconds op_ps(OpId op, DeviceId device) const { return problem_.costs().op_ps(op, device); }
  bool one_slot(DeviceId device) const { return problem_.topology().device(device).slots == 1; }

  /// Whether `producer` on `from` and `consumer` on `to` go together.
  bool go_together(OpId producer, DeviceId from, OpId consumer, DeviceId to) const {
    if (from == to) return true;
    return problem_.groups().of(producer) != problem_.groups().of(consumer);
  }

  /// Unlike in an Occupancy, a transfer may go before those that have reserved their channels: what
  /// is requested first is not known yet.
  Picoseconds arrival_ps(TensorId tensor, DeviceId from, DeviceId to, Picoseconds sent_ps) const {
    const Picoseconds time_ps = problem_.costs().transfer_ps(tensor, from, to);
    if (time_ps == 0 || is_reserved(tensor, to)) return sent_ps + time_ps;
    for (Picoseconds before_ps = -1; before_ps != sent_ps;) {
      before_ps = sent_ps;
      for (const ChannelId channel : channels_of(problem_, tensor, from, to)) {
        sent_ps = on_channels_[channel.index()].first_fit(sent_ps, time_ps);
      }
    }
    return sent_ps + time_ps;
  }

  Picoseconds due_ps(TensorId tensor, DeviceId from, DeviceId to, Picoseconds needed_ps) const {
    const Picoseconds time_ps = problem_.costs().transfer_ps(tensor, from, to);
    if (time_ps == 0 || is_reserved(tensor, to)) return needed_ps - time_ps;
    for (Picoseconds before_ps = kFarPs; before_ps != needed_ps;) {
      before_ps = needed_ps;
      for (const ChannelId channel : channels_of(problem_, tensor, from, to)) {
        needed_ps = on_channels_[channel.index()].last_fit(needed_ps, time_ps);
      }
    }
    return needed_ps - time_ps;
  }

  bool is_reserved(TensorId tensor, DeviceId to) const {
    return sent_at_once_[tensor.index() * devices_ + to.index()] != 0;
  }

  void find_starts(OpId op) {
    for (const DeviceId device : IdRange<DeviceId>(devices_)) {
      if (!may_be(op, device)) continue;
      Picoseconds ready_ps = 0;
      for (const TensorId tensor : graph_.inputs(op)) {
        const OpId producer = graph_.tensor(tensor).producer;
        Picoseconds earliest_ps = kFarPs;
        for (const DeviceId from : IdRange<DeviceId>(devices_)) {
          if (!may_be(producer, from) || !go_together(producer, from, op, device)) continue;
          const Picoseconds end_ps = windows_.starts_ps[at(producer, from)] + op_ps(producer, from);
          if (end_ps >= earliest_ps) continue;
          earliest_ps = std::min(earliest_ps, arrival_ps(tensor, from, device, end_ps));
        }
        ready_ps = std::max(ready_ps, earliest_ps);
      }
      if (fixed_[op.index()] == 0 && one_slot(device)) {
        ready_ps = on_devices_[device.index()].first_fit(ready_ps, op_ps(op, device));
      }
      Picoseconds& start_ps = windows_.starts_ps[at(op, device)];
      start_ps = std::max(start_ps, std::min(ready_ps, kFarPs));
    }
  }

  void find_ends(OpId op) {
    for (const DeviceId device : IdRange<DeviceId>(devices_)) {
      Picoseconds& end_ps = windows_.ends_ps[at(op, device)];
      if (!may_be(op, device)) {
        end_ps = StepWindows::kBarred;
        continue;
      }
      Picoseconds latest_ps = end_ps;
      for (const TensorId tensor : graph_.outputs(op)) {
        for (const OpId consumer : graph_.tensor(tensor).consumers) {
          latest_ps = std::min(latest_ps, needed_ps(op, device, tensor, consumer));
        }
      }
      if (fixed_[op.index()] == 0 && one_slot(device)) {
        latest_ps = on_devices_[device.index()].last_fit(latest_ps, op_ps(op, device));
      }
      end_ps = latest_ps;
    }
  }

  /// The latest end of `op` there for `consumer` to end in time.
  Picoseconds needed_ps(OpId op, DeviceId device, TensorId tensor, OpId consumer) const {
    Picoseconds latest_ps = -1;
    for (const DeviceId to : IdRange<DeviceId>(devices_)) {
      if (!may_be(consumer, to) || !go_together(op, device, consumer, to)) continue;
      const Picoseconds needed_ps = windows_.ends_ps[at(consumer, to)] - op_ps(consumer, to);
      if (needed_ps <= latest_ps) continue;
      latest_ps = std::max(latest_ps, due_ps(tensor, device, to, needed_ps));
    }
    return latest_ps;
  }

  void bar(GroupId group, DeviceId device) {
    if (may_go_[at(group, device)] == 0) return;
    may_go_[at(group, device)] = 0;
    changed_ = true;
    for (const OpId op : problem_.groups().ops(group)) {
      windows_.ends_ps[at(op, device)] = StepWindows::kBarred;
    }
    const auto first = may_go_.begin() + static_cast<std::ptrdiff_t>(at(group, DeviceId(0)));
    if (std::count(first, first + static_cast<std::ptrdiff_t>(devices_), 1) == 0) {
      windows_.possible = false;
    }
  }

  void bar_what_ends_late(OpId op) {
    for (const DeviceId device : IdRange<DeviceId>(devices_)) {
      if (!may_be(op, device) || slack_ps(op, device) >= 0) continue;
      bar(problem_.groups().of(op), device);
    }
  }

  Picoseconds slack_ps(OpId op, DeviceId device) const {
    return windows_.ends_ps[at(op, device)] - windows_.starts_ps[at(op, device)] -
           op_ps(op, device);
  }

  /// Its only device.
  std::optional<DeviceId> device_of(OpId op) const {
    std::optional<DeviceId> only;
    for (const DeviceId device : IdRange<DeviceId>(devices_)) {
      if (!may_be(op, device)) continue;
      if (only) return std::nullopt;
      only = device;
    }
    return only;
  }

  void reserve(OpId op) {
    const std::optional<DeviceId> device = device_of(op);
    if (!device) return;
    const Picoseconds start_ps = windows_.starts_ps[at(op, *device)];
    const Picoseconds end_ps = start_ps + op_ps(op, *device);
    if (fixed_[op.index()] == 0 && slack_ps(op, *device) == 0) {
      fixed_[op.index()] = 1;
      ++windows_.fixed_ops;
      changed_ = true;
      if (start_ps < end_ps) on_devices_[device->index()].reserve({start_ps, end_ps});
    }
    for (const TensorId tensor : graph_.outputs(op)) {
      for (const OpId consumer : graph_.tensor(tensor).consumers) {
        const std::optional<DeviceId> to = device_of(consumer);
        if (to && *to != *device) hurry(op, end_ps, tensor, *device, consumer, *to);
      }
    }
  }

  /// A transfer that cannot wait long.
  void hurry(OpId op, Picoseconds sent_ps, TensorId tensor, DeviceId from, OpId consumer,
             DeviceId to) {
    const Picoseconds time_ps = problem_.costs().transfer_ps(tensor, from, to);
    const Picoseconds spare_ps =
        windows_.ends_ps[at(consumer, to)] - op_ps(consumer, to) - sent_ps - time_ps;
    if (time_ps == 0 || spare_ps < 0) return;
    const auto channels = channels_of(problem_, tensor, from, to);
    for (const TensorId other : graph_.outputs(op)) {
      if (other < tensor) bar_rivals(other, from, channels, spare_ps);
    }
    char& reserved = sent_at_once_[tensor.index() * devices_ + to.index()];
    if (spare_ps > 0 || reserved != 0) return;
    reserved = 1;
    changed_ = true;
    for (const ChannelId channel : channels) {
      on_channels_[channel.index()].reserve({sent_ps, sent_ps + time_ps});
    }
  }

  /// Consumers of `tensor`, which is served before, cannot be where it would take the channels for
  /// longer than `slack_ps`.
  void bar_rivals(TensorId tensor, DeviceId from, const LinkChannels& channels,
                  Picoseconds slack_ps) {
    for (const DeviceId to : IdRange<DeviceId>(devices_)) {
      if (!problem_.topology().joins(from, to)) continue;
      if (problem_.costs().transfer_ps(tensor, from, to) <= slack_ps) continue;
      if (!share_channels(channels_of(problem_, tensor, from, to), channels)) continue;
      for (const OpId consumer : graph_.tensor(tensor).consumers) {
        bar(problem_.groups().of(consumer), to);
      }
    }
  }

  const Problem& problem_;
  const Graph& graph_;
  const std::size_t devices_;
  std::vector<char> may_go_;        // group * devices + device
  std::vector<char> fixed_;         // by op
  std::vector<char> sent_at_once_;  // tensor * devices + device
  std::vector<Timeline> on_devices_, on_channels_;
  StepWindows windows_;
  bool changed_ = false;
};

}  // namespace

StepWindows windows_within(const Problem& problem, const MemoryFit& fit, Picoseconds limit_ps,
                           const std::function<bool()>& stop) {
  return Propagation(problem, fit, limit_ps).windows(stop);
}

}  // namespace placer
