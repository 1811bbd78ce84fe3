#include "search/lists/occupancy.hpp"

namespace placer {

Occupancy::Occupancy(const Problem& problem)
    : problem_(&problem),
      devices_(problem.device_count()),
      is_dense_(problem.topology().channel_count() <= kMostDense),
      lanes_(devices_ + (is_dense_ ? problem.topology().channel_count() : 0)),
      arrivals_(problem.graph().tensors().size() * devices_) {}

const Occupancy::Lane* Occupancy::known_lane(ChannelId channel) const {
  if (is_dense_) return &lanes_[devices_ + channel.index()];
  const auto at = lane_of_sparse_.find(channel.index());
  return at == lane_of_sparse_.end() ? nullptr : &lanes_[at->second];
}

std::size_t Occupancy::lane_of(ChannelId channel) {
  if (is_dense_) return devices_ + channel.index();
  const auto [at, is_new] = lane_of_sparse_.try_emplace(channel.index(), lanes_.size());
  if (is_new) {
    lanes_.emplace_back();
    sparse_.push_back(channel.index());
  }
  return at->second;
}

void Occupancy::clear() {
  forget_lanes(0);
  std::ranges::fill(lanes_, Lane());
  ++filling_;
  keep();
}

Picoseconds Occupancy::send(TensorId tensor, DeviceId from, DeviceId to, Picoseconds now_ps) {
  const auto channels = channels_of(*problem_, tensor, from, to);
  Lane wait{now_ps};
  for (const ChannelId channel : channels) {
    const Lane* lane = known_lane(channel);
    if (lane != nullptr && lane->free_ps > wait.free_ps) wait = *lane;
  }
  const Picoseconds end_ps = wait.free_ps + problem_->costs().transfer_ps(tensor, from, to);
  for (const ChannelId channel : channels) {
    const std::size_t at = lane_of(channel);
    lanes_were_.emplace_back(at, lanes_[at]);
    lanes_[at] = {end_ps, static_cast<std::uint32_t>(copy(tensor, to))};
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
  forget_lanes(mark.sparse);
}

/// But for the first `count` of those that are kept sparsely.
void Occupancy::forget_lanes(std::size_t count) {
  for (; sparse_.size() > count; sparse_.pop_back(), lanes_.pop_back()) {
    lane_of_sparse_.erase(sparse_.back());
  }
}

void Occupancy::keep() {
  lanes_were_.clear();
  arrivals_were_.clear();
}

}  // namespace placer
