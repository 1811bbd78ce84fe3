#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "placer/base/units.hpp"
#include "placer/model/topology.hpp"

namespace placer {

/// A time for each channel, 0 until it is set: by channel where these are few, else in a hash table
/// of the channels that a step can use.
class ChannelTimes {
 public:
  /// `transfers` is the most of a step.
  ChannelTimes(std::size_t channels, std::size_t transfers)
      : is_dense_(channels <= kMostDense),
        times_(is_dense_ ? channels : std::bit_ceil(2 * (transfers + kMostDense)), 0),
        channel_of_(is_dense_ ? 0 : times_.size(), kNone) {}

  Picoseconds& operator[](ChannelId channel) {
    return times_[is_dense_ ? channel.index() : slot(channel)];
  }
  void clear() {
    std::ranges::fill(times_, 0);
    std::ranges::fill(channel_of_, kNone);
  }

 private:
  static constexpr std::size_t kMostDense = std::size_t{1} << 16;
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  std::size_t slot(ChannelId channel) {
    constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15;
    const std::size_t mask = times_.size() - 1;
    std::size_t at = (channel.index() * kSpread >> 32) & mask;
    while (channel_of_[at] != channel.index() && channel_of_[at] != kNone) at = (at + 1) & mask;
    channel_of_[at] = channel.index();
    return at;
  }

  bool is_dense_;
  std::vector<Picoseconds> times_;
  std::vector<std::size_t> channel_of_;  // by slot
};

}  // namespace placer
