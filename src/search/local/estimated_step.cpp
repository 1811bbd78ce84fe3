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
constexpr float kSoon = 0.02F;          // bands: after that, what no op reads there is sent

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
      lives_(problem, bands_),
      loads_(bands_ * resources_),
      bytes_(bands_ * devices_),
      powers_(bands_),
      peak_scale_(devices_, 1) {
  for (const Device& device : problem.topology().devices()) {
    capacity_bytes_.push_back(std::max(1.0, static_cast<double>(device.memory_bytes)));
  }
  find_routes();
  for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
    double params_bytes = 0;
    for (const OpId op : problem.groups().ops(group)) {
      params_bytes += static_cast<double>(problem.graph().op(op).params_bytes);
    }
    params_bytes_.push_back(params_bytes);
  }
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

void EstimatedStep::stand_at(const Placement& placement, const Schedule& schedule,
                             double path_weight) {
  placement_ = placement;
  lives_.line_up(schedule);
  loads_.clear();
  bytes_.clear();
  powers_.clear();
  total_ps_ = more_total_ps_ = 0;
  add_all();
  scale(schedule, path_weight);
}

/// The placement's loads and bytes: every group comes from nowhere.
void EstimatedStep::add_all() {
  for (const GroupId group : IdRange<GroupId>(problem_.groups().size())) {
    const DeviceId device = placement_[group];
    for (const OpId op : problem_.groups().ops(group)) {
      const auto ps = static_cast<double>(problem_.costs().op_ps(op, device));
      loads_.add(lives_.band(op) * resources_ + device.index(),
                 ps / static_cast<double>(problem_.topology().device(device).slots));
      more_total_ps_ += ps;
    }
    for (std::size_t band = 0; band < bands_; ++band) {
      bytes_.add(band * devices_ + device.index(), params_bytes_[group.index()]);
    }
  }
  std::vector<float> end(devices_);
  for (const Net& net : lives_.nets()) {
    const std::uint32_t from = index(placement_[GroupId(net.producer)]);
    std::ranges::fill(end, -1);
    end[from] = net.is_kept ? static_cast<float>(bands_) : net.start + kSoon;
    DeviceSet to = 0;
    for (const TensorLives::Reader& reader : lives_.readers(net)) {
      const std::uint32_t device = index(placement_[GroupId(reader.group)]);
      end[device] = std::max(end[device], reader.end);
      to |= bit(device);
    }
    send(net, from, to & ~bit(from), 1);
    for (std::uint32_t device = 0; device < devices_; ++device) hold(net, device, -1, end[device]);
  }
  loads_.take();
  bytes_.take();
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
  for (std::size_t device = 0; device < devices_; ++device) {
    double most_bytes = 1;
    for (std::size_t band = 0; band < bands_; ++band) {
      most_bytes = std::max(most_bytes, bytes_[band * devices_ + device]);
    }
    const auto peak_bytes = static_cast<double>(schedule.peak_bytes[device]);
    peak_scale_[device] = std::clamp(peak_bytes / most_bytes, 1.0, kMostPeakScale);
  }
}

double EstimatedStep::band_ps(double power) const {
  return unit_ps_ * std::sqrt(std::sqrt(std::sqrt(std::max(0.0, power))));
}

double EstimatedStep::overflow_ps(std::size_t entry, double bytes) const {
  const std::size_t device = entry % devices_;
  const double over_bytes = peak_scale_[device] * bytes - kRoom * capacity_bytes_[device];
  if (over_bytes <= 0) return 0;
  return kOverflowWeight * unit_ps_ * static_cast<double>(bands_) * over_bytes /
         capacity_bytes_[device];
}

double EstimatedStep::cost_ps() const {
  double cost_ps = path_unit_ * total_ps_;
  for (const double power : powers_.all()) cost_ps += band_ps(power);
  for (std::size_t at = 0; at < bands_ * devices_; ++at) cost_ps += overflow_ps(at, bytes_[at]);
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
  for (const std::size_t at : bytes_.touched()) {
    more_ps += overflow_ps(at, bytes_.changed(at)) - overflow_ps(at, bytes_[at]);
  }
  return more_ps;
}

void EstimatedStep::move() {
  loads_.take();
  bytes_.take();
  powers_.take();
  total_ps_ += std::exchange(more_total_ps_, 0);
  placement_.devices[asked_.group.index()] = asked_.device;
}

void EstimatedStep::collect(GroupId group, DeviceId to) {
  loads_.drop();
  bytes_.drop();
  powers_.drop();
  more_total_ps_ = 0;
  asked_ = {group, to};
  const DeviceId from = placement_[group];
  const Topology& topology = problem_.topology();
  for (const OpId op : problem_.groups().ops(group)) {
    const auto before_ps = static_cast<double>(problem_.costs().op_ps(op, from));
    const auto after_ps = static_cast<double>(problem_.costs().op_ps(op, to));
    const std::size_t first = lives_.band(op) * resources_;
    loads_.add(first + from.index(), -before_ps / static_cast<double>(topology.device(from).slots));
    loads_.add(first + to.index(), after_ps / static_cast<double>(topology.device(to).slots));
    more_total_ps_ += after_ps - before_ps;
  }
  if (params_bytes_[group.index()] > 0) {
    for (std::size_t band = 0; band < bands_; ++band) {
      bytes_.add(band * devices_ + from.index(), -params_bytes_[group.index()]);
      bytes_.add(band * devices_ + to.index(), params_bytes_[group.index()]);
    }
  }
  const auto moved = static_cast<std::uint32_t>(group.index());
  for (const std::uint32_t net : lives_.nets_of(moved)) {
    collect_net(lives_.net(net), moved, index(from), index(to));
  }
}

/// The net's transfers, and how long the two devices hold it, with and without the move.
void EstimatedStep::collect_net(const Net& net, std::uint32_t group, std::uint32_t from,
                                std::uint32_t to) {
  const bool is_made = net.producer == group;
  const std::uint32_t maker = index(placement_[GroupId(net.producer)]);
  const float made_end = net.is_kept ? static_cast<float>(bands_) : net.start + kSoon;
  float from_end = -1, to_end = -1, own_end = is_made ? made_end : -1;
  if (!is_made && maker == from) from_end = made_end;
  if (!is_made && maker == to) to_end = made_end;
  DeviceSet others = 0;
  bool is_read = false;
  for (const auto& [reader, end] : lives_.readers(net)) {
    if (reader == group) {
      is_read = true;
      own_end = std::max(own_end, end);
      continue;
    }
    const std::uint32_t device = index(placement_[GroupId(reader)]);
    others |= bit(device);
    if (device == from) from_end = std::max(from_end, end);
    if (device == to) to_end = std::max(to_end, end);
  }
  const std::uint32_t new_maker = is_made ? to : maker;
  const DeviceSet before = (others | (is_read ? bit(from) : 0)) & ~bit(maker);
  const DeviceSet after = (others | (is_read ? bit(to) : 0)) & ~bit(new_maker);
  const DeviceSet same = maker == new_maker ? before & after : 0;
  send(net, maker, before & ~same, -1);
  send(net, new_maker, after & ~same, 1);
  hold(net, from, std::max(from_end, own_end), from_end);
  hold(net, to, to_end, std::max(to_end, own_end));
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

/// What the device holds of the net if it does so until `after` instead of `before`; below 0: not
/// at all. A band counts as much as is covered of it.
void EstimatedStep::hold(const Net& net, std::uint32_t device, float before, float after) {
  if (before == after) return;
  const double bytes = after > before ? net.bytes : -net.bytes;
  const float first = std::max(std::min(before, after), net.start);
  const float end = std::min(std::max(before, after), static_cast<float>(bands_));
  for (auto band = static_cast<std::size_t>(first); static_cast<float>(band) < end; ++band) {
    const float covered =
        std::min(end, static_cast<float>(band + 1)) - std::max(first, static_cast<float>(band));
    bytes_.add(band * devices_ + device, bytes * static_cast<double>(covered));
  }
}

}  // namespace placer
