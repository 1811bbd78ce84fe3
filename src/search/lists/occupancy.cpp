#include "search/lists/occupancy.hpp"

namespace placer {

Occupancy::Occupancy(const Problem& problem)
    : problem_(&problem),
      devices_(problem.device_count()),
      lanes_(devices_ + problem.topology().channel_count()),
      arrivals_(problem.graph().tensors().size() * devices_) {}

void Occupancy::clear() {
  std::ranges::fill(lanes_, Lane());
  ++filling_;
  keep();
}

Picoseconds Occupancy::send(TensorId tensor, DeviceId from, DeviceId to, Picoseconds now_ps) {
  const auto channels = channels_of(*problem_, tensor, from, to);
  Lane wait{now_ps};
  for (const ChannelId channel : channels) {
    const Lane& lane = lanes_[devices_ + channel.index()];
    if (lane.free_ps > wait.free_ps) wait = lane;
  }
  const Picoseconds end_ps = wait.free_ps + problem_->costs().transfer_ps(tensor, from, to);
  for (const ChannelId channel : channels) {
    Lane& lane = lanes_[devices_ + channel.index()];
    lanes_were_.emplace_back(devices_ + channel.index(), lane);
    lane = {end_ps, static_cast<std::uint32_t>(copy(tensor, to))};
  }
  deliver(tensor, to, end_ps, wait.last);
  return end_ps;
}

bool Occupancy::differs_since(const Mark& mark) const {
  return std::any_of(
      arrivals_were_.begin() + static_cast<std::ptrdiff_t>(mark.arrivals), arrivals_were_.end(),
      [&](const auto& was) { return arrivals_[was.first].time_ps != was.second.time_ps; });
}

void Occupancy::take_back(const Mark& mark) {
  for (; lanes_were_.size() > mark.lanes; lanes_were_.pop_back()) {
    lanes_[lanes_were_.back().first] = lanes_were_.back().second;
  }
  for (; arrivals_were_.size() > mark.arrivals; arrivals_were_.pop_back()) {
    arrivals_[arrivals_were_.back().first] = arrivals_were_.back().second;
  }
}

void Occupancy::keep() {
  lanes_were_.clear();
  arrivals_were_.clear();
}

}  // namespace placer
