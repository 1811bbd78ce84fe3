#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "placer/model/problem.hpp"

namespace placer {

/// The channels that a tensor holds on its way: none where it has 0 bytes or stays on its device.
inline LinkChannels channels_of(const Problem& problem, TensorId tensor, DeviceId from,
                                DeviceId to) {
  if (from == to || problem.graph().tensor(tensor).bytes == 0) return {};
  return problem.topology().channels(from, to);
}

/// Whether of two transfers over these channels one would wait for the other.
inline bool share_channels(const LinkChannels& a, const LinkChannels& b) {
  return std::ranges::find_first_of(a, b) != a.end();
}

/// Gives the slot that is free first to what ends at `end`. `free_at` are the times from which on
/// the slots of one device are free, in ascending order before and after.
template <class Time>
void take_first_slot(std::span<Time> free_at, Time end) {
  const auto next = std::lower_bound(free_at.begin() + 1, free_at.end(), end);
  *std::move(free_at.begin() + 1, next, free_at.begin()) = end;
}

/// Adds to the devices that a tensor is sent to: each once, however many consumers it has there, in
/// the order of their transfers, which is that of their ids.
inline void add_receiver(std::vector<DeviceId>& receivers, DeviceId device) {
  const auto at = std::ranges::lower_bound(receivers, device);
  if (at == receivers.end() || *at != device) receivers.insert(at, device);
}

/// What a schedule occupies as it grows, and which tensors have come where. A transfer begins when
/// all channels of its route are free and holds them to its end: channels are given away in the
/// order of requests, and none goes back to fill a gap. A copy is a tensor on a device; its number
/// is tensor * devices + device.
class Occupancy {
 public:
  static constexpr std::uint32_t kNothing = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::size_t kMostDense = std::size_t{1} << 21;  // channels, all with a lane

  struct Lane {  // a device with one slot, or a channel
    Picoseconds free_ps = 0;
    std::uint32_t last = kNothing;  // the op that ran there, or the copy that was sent
    friend bool operator==(const Lane&, const Lane&) = default;
  };
  struct Arrival {
    Picoseconds time_ps = 0;
    std::uint32_t waited_for = kNothing;  // the copy that held its channel until it began
    std::uint32_t filling = 0;
  };
  /// A point to go back to.
  struct Mark {
    std::size_t lanes = 0, arrivals = 0, sparse = 0;
  };

  explicit Occupancy(const Problem& problem);
  /// Everything is free, and nothing has come.
  void clear();

  Lane& device(DeviceId device) { return lanes_[device.index()]; }
  /// The devices, then the channels: all of them where these are few, else those in use.
  std::span<Lane> lanes() { return lanes_; }

  std::size_t copy(TensorId tensor, DeviceId to) const {
    return tensor.index() * devices_ + to.index();
  }
  /// Null where the copy has not come.
  const Arrival* arrival(std::size_t copy) const {
    return arrivals_[copy].filling == filling_ ? &arrivals_[copy] : nullptr;
  }
  /// Without channels.
  void deliver(TensorId tensor, DeviceId to, Picoseconds time_ps,
               std::uint32_t waited_for = kNothing) {
    Arrival& arrival = arrivals_[copy(tensor, to)];
    arrivals_were_.emplace_back(copy(tensor, to), arrival);
    arrival = {time_ps, waited_for, filling_};
  }
  /// Requested at `now_ps`; when it has come.
  Picoseconds send(TensorId tensor, DeviceId from, DeviceId to, Picoseconds now_ps);
  /// As `op` ends, to all other devices with consumers, in the order in which they are served.
  template <class DeviceOf>
  void send_outputs(OpId op, Picoseconds end_ps, DeviceOf device_of) {
    const DeviceId from = device_of(op);
    for (const TensorId tensor : problem_->graph().outputs(op)) {
      receivers_.clear();
      for (const OpId consumer : problem_->graph().tensor(tensor).consumers) {
        const DeviceId to = device_of(consumer);
        if (to != from) add_receiver(receivers_, to);
      }
      for (const DeviceId to : receivers_) send(tensor, from, to, end_ps);
    }
  }

  Mark mark() const { return {lanes_were_.size(), arrivals_were_.size(), sparse_.size()}; }
  /// Whether something that has come since then came at another time before.
  bool differs_since(const Mark& mark) const;
  /// Channels and copies are what they were; devices stay as they are.
  void take_back(const Mark& mark);
  /// Nothing so far is to be taken back.
  void keep();

 private:
  /// Null where nothing was sent over it yet.
  const Lane* known_lane(ChannelId channel) const;
  std::size_t lane_of(ChannelId channel);
  void forget_lanes(std::size_t count);

  const Problem* problem_;
  std::size_t devices_;
  bool is_dense_;
  std::vector<Lane> lanes_;
  std::vector<std::size_t> sparse_;  // the channels of the lanes behind those of the devices
  std::unordered_map<std::size_t, std::size_t> lane_of_sparse_;
  std::vector<Arrival> arrivals_;  // by copy
  std::uint32_t filling_ = 1;      // counts how often all was cleared
  std::vector<std::pair<std::size_t, Lane>> lanes_were_;
  std::vector<std::pair<std::size_t, Arrival>> arrivals_were_;
  std::vector<DeviceId> receivers_;  // of the tensor at hand
};

}  // namespace placer
