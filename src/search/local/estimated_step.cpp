#include "search/local/estimated_step.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace placer {
namespace {

constexpr std::size_t kOpsInBand = 15;  // for each device
constexpr std::size_t kMostBands = 64;
constexpr std::size_t kMostServed = 64;
constexpr std::size_t kMostResources = 1024;
constexpr double kOverflowWeight = 20;  // of a capacity too much, in steps
constexpr double kRoom = 0.97;          // of a capacity: peaks move a little
constexpr double kMostPeakScale = 1.5;  // a simulated peak over the estimated one

std::size_t bands_of(const Problem& problem) {
  const std::size_t ops_in_band = kOpsInBand * problem.device_count();
  return std::clamp<std::size_t>(problem.op_count() / ops_in_band, 1, kMostBands);
}

double eighth_power(double x) {
  x *= x;
  x *= x;
  return x * x;
}

std::uint64_t bit(std::uint32_t device) { return std::uint64_t{1} << device; }

std::uint32_t index(DeviceId device) { return static_cast<std::uint32_t>(device.index()); }

}  // namespace

EstimatedStep::EstimatedStep(const Problem& problem)
    : problem_(problem),
      devices_(problem.device_count()),
      resources_(devices_ + problem.topology().channel_count()),
      bands_(bands_of(problem)),
      memory_(problem, bands_),
      loads_(bands_ * resources_),
      powers_(bands_) {
  find_routes();
}

bool EstimatedStep::serves(const Problem& problem) {
  return problem.goal().is_step() && problem.device_count() <= kMostServed &&
         problem.topology().channel_count() <= kMostResources;
}

void EstimatedStep::find_routes() {
  const Topology& topology = problem_.topology();
  route_.resize(devices_ * devices_);
  for (const DeviceId from : IdRange<DeviceId>(devices_)) {
    for (const DeviceId to : IdRange<DeviceId>(devices_)) {
      if (!topology.joins(from, to)) continue;
      for (const ChannelId channel : topology.channels(from, to)) {
        route_[from.index() * devices_ + to.index()].push_back(devices_ + channel.index());
      }
    }
  }
}

void EstimatedStep::stand_at(const Schedule& schedule, double path_weight) {
  memory_.stand_at(schedule);
  loads_.clear();
  powers_.clear();
  total_ps_ = more_total_ps_ = 0;
  add_all();
  scale(schedule, path_weight);
}

/// The placement's loads: every group comes from nowhere.
void EstimatedStep::add_all() {
  for (const GroupId group : IdRange<GroupId>(problem_.groups().size())) {
    const DeviceId device = placement()[group];
    for (const OpId op : problem_.groups().ops(group)) {
      const auto ps = static_cast<double>(problem_.costs().op_ps(op, device));
      loads_.add(memory_.lives().band(op) * resources_ + device.index(),
                 ps / static_cast<double>(problem_.topology().device(device).slots));
      more_total_ps_ += ps;
    }
  }
  for (const Net& net : memory_.lives().nets()) {
    const std::uint32_t from = index(placement()[GroupId(net.producer)]);
    DeviceSet to = 0;
    for (const TensorLives::Reader& reader : memory_.lives().readers(net)) {
      to |= bit(index(placement()[GroupId(reader.group)]));
    }
    send(net, from, to & ~bit(from), 1);
  }
  loads_.take();
  total_ps_ = std::exchange(more_total_ps_, 0);
}

void EstimatedStep::scale(const Schedule& schedule, double path_weight) {
  const auto step_ps = std::max(1.0, static_cast<double>(schedule.score.step_ps));
  path_unit_ = total_ps_ > 0 ? path_weight * step_ps / total_ps_ : 0;
  unit_ps_ = step_ps / static_cast<double>(bands_);
  for (std::size_t at = 0; at < bands_ * resources_; ++at) {
    powers_.add(at / resources_, eighth_power(loads_[at] / unit_ps_));
  }
  powers_.take();
}

double EstimatedStep::band_ps(double power) const {
  return unit_ps_ * std::sqrt(std::sqrt(std::sqrt(std::max(0.0, power))));
}

double EstimatedStep::overflow_ps(std::size_t entry, double bytes) const {
  const std::size_t device = entry % devices_;
  const double scale = std::clamp(memory_.peak_scale(device), 1.0, kMostPeakScale);
  const double capacity_bytes = std::max(1.0, memory_.capacity_bytes(device));
  const double over_bytes = scale * bytes - kRoom * capacity_bytes;
  if (over_bytes <= 0) return 0;
  return kOverflowWeight * unit_ps_ * static_cast<double>(bands_) * over_bytes / capacity_bytes;
}

double EstimatedStep::cost_ps() const {
  const ChangingSums& bytes = memory_.bytes();
  double cost_ps = path_unit_ * total_ps_;
  for (const double power : powers_.all()) cost_ps += band_ps(power);
  for (std::size_t at = 0; at < bands_ * devices_; ++at) cost_ps += overflow_ps(at, bytes[at]);
  return cost_ps;
}

double EstimatedStep::change_ps(GroupId group, DeviceId to) {
  collect(group, to);
  for (const std::size_t at : loads_.touched()) {
    powers_.add(at / resources_,
                eighth_power(loads_.changed(at) / unit_ps_) - eighth_power(loads_[at] / unit_ps_));
  }
  double more_ps = path_unit_ * more_total_ps_;
  for (const std::size_t band : powers_.touched()) {
    more_ps += band_ps(powers_.changed(band)) - band_ps(powers_[band]);
  }
  const ChangingSums& bytes = memory_.bytes();
  for (const std::size_t at : bytes.touched()) {
    more_ps += overflow_ps(at, bytes.changed(at)) - overflow_ps(at, bytes[at]);
  }
  return more_ps;
}

void EstimatedStep::move() {
  loads_.take();
  powers_.take();
  total_ps_ += std::exchange(more_total_ps_, 0);
  memory_.move();
}

void EstimatedStep::collect(GroupId group, DeviceId to) {
  loads_.drop();
  powers_.drop();
  more_total_ps_ = 0;
  const Move asked{group, to};
  memory_.ask({&asked, 1});
  const DeviceId from = placement()[group];
  const Topology& topology = problem_.topology();
  for (const OpId op : problem_.groups().ops(group)) {
    const auto before_ps = static_cast<double>(problem_.costs().op_ps(op, from));
    const auto after_ps = static_cast<double>(problem_.costs().op_ps(op, to));
    const std::size_t first = memory_.lives().band(op) * resources_;
    loads_.add(first + from.index(), -before_ps / static_cast<double>(topology.device(from).slots));
    loads_.add(first + to.index(), after_ps / static_cast<double>(topology.device(to).slots));
    more_total_ps_ += after_ps - before_ps;
  }
  const auto moved = static_cast<std::uint32_t>(group.index());
  for (const std::uint32_t net : memory_.lives().nets_of(moved)) {
    collect_net(memory_.lives().net(net), moved, index(from), index(to));
  }
}

/// The net's transfers with and without the move.
void EstimatedStep::collect_net(const Net& net, std::uint32_t group, std::uint32_t from,
                                std::uint32_t to) {
  const bool is_made = net.producer == group;
  const std::uint32_t maker = index(placement()[GroupId(net.producer)]);
  DeviceSet others = 0;
  bool is_read = false;
  for (const TensorLives::Reader& reader : memory_.lives().readers(net)) {
    is_read = is_read || reader.group == group;
    if (reader.group != group) others |= bit(index(placement()[GroupId(reader.group)]));
  }
  const std::uint32_t new_maker = is_made ? to : maker;
  const DeviceSet before = (others | (is_read ? bit(from) : 0)) & ~bit(maker);
  const DeviceSet after = (others | (is_read ? bit(to) : 0)) & ~bit(new_maker);
  const DeviceSet same = maker == new_maker ? before & after : 0;
  send(net, maker, before & ~same, -1);
  send(net, new_maker, after & ~same, 1);
}

void EstimatedStep::send(const Net& net, std::uint32_t from, DeviceSet to, double sign) {
  const std::size_t first = TensorLives::band(net) * resources_;
  for (; to != 0; to &= to - 1) {
    const auto device = static_cast<std::uint32_t>(std::countr_zero(to));
    const double ps = sign * static_cast<double>(problem_.costs().transfer_ps(
                                 net.tensor, DeviceId(from), DeviceId(device)));
    more_total_ps_ += ps;
    for (const std::size_t resource : route_[from * devices_ + device]) {
      loads_.add(first + resource, ps);
    }
  }
}

}  // namespace placer
