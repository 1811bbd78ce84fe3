#include "search/local/estimated_memory.hpp"

#include <algorithm>
#include <utility>

#include "search/groups/group_memory.hpp"

namespace placer {
namespace {

constexpr double kMostScale = 1.5;  // of peaks, either way
constexpr float kSoon = 0.02F;      // bands: after that, what no op reads there is sent

std::uint32_t number(DeviceId device) { return static_cast<std::uint32_t>(device.index()); }

}  // namespace

bool EstimatedMemory::serves(const Problem& problem) {
  return problem.goal().is_step() && !memory_is_ample(problem);
}

EstimatedMemory::EstimatedMemory(const Problem& problem, std::size_t most_bands)
    : problem_(problem),
      devices_(problem.device_count()),
      bands_(std::min(most_bands, problem.op_count())),
      lives_(problem, bands_),
      placement_{std::vector<DeviceId>(problem.groups().size())},
      bytes_(bands_ * devices_),
      peak_scale_(devices_, 1) {
  for (const Device& device : problem.topology().devices()) {
    capacity_bytes_.push_back(static_cast<double>(device.memory_bytes));
  }
  for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
    double params_bytes = 0;
    for (const OpId op : problem.groups().ops(group)) {
      params_bytes += static_cast<double>(problem.graph().op(op).params_bytes);
    }
    params_bytes_.push_back(params_bytes);
  }
}

void EstimatedMemory::stand_at(const Schedule& schedule) {
  for (const GroupId group : IdRange<GroupId>(problem_.groups().size())) {
    const OpId first = problem_.groups().ops(group).front();
    placement_.devices[group.index()] = schedule.ops[first.index()].device;
  }
  asked_.clear();
  lives_.line_up(schedule);
  bytes_.clear();
  add_all();
  read_peaks(schedule);
}

void EstimatedMemory::add_all() {
  for (const GroupId group : IdRange<GroupId>(problem_.groups().size())) {
    add_parameters(group, number(placement_[group]), 1);
  }
  std::vector<float> end(devices_, -1);
  for (const Net& net : lives_.nets()) {
    const auto device_of = [&](std::uint32_t group) { return number(placement_[GroupId(group)]); };
    end[device_of(net.producer)] = made_end(net);
    for (const TensorLives::Reader& reader : lives_.readers(net)) {
      float& of_device = end[device_of(reader.group)];
      of_device = std::max(of_device, reader.end);
    }
    const auto take = [&](std::uint32_t device) {
      hold(net, device, -1, std::exchange(end[device], -1.0F));
    };
    take(device_of(net.producer));
    for (const TensorLives::Reader& reader : lives_.readers(net)) take(device_of(reader.group));
  }
  bytes_.take();
}

void EstimatedMemory::read_peaks(const Schedule& schedule) {
  for (std::size_t device = 0; device < devices_; ++device) {
    double most_bytes = 0;
    for (std::size_t band = 0; band < bands_; ++band) {
      most_bytes = std::max(most_bytes, bytes_[band * devices_ + device]);
    }
    const auto peak_bytes = static_cast<double>(schedule.peak_bytes[device]);
    const double scale = most_bytes > 1 ? peak_bytes / most_bytes : 1;
    peak_scale_[device] = std::clamp(scale, 1 / kMostScale, kMostScale);
  }
}

void EstimatedMemory::ask(std::span<const Move> moves) {
  bytes_.drop();
  asked_.assign(moves.begin(), moves.end());
  touched_.clear();
  for (const Move& move : moves) collect(move);
  undo();
}

void EstimatedMemory::ask_more(const Move& move) {
  for (const Move& made : asked_) make(made);
  collect(move);
  undo();
  asked_.push_back(move);
}

double EstimatedMemory::more_overflow_bytes_with(const Move& move) {
  bytes_.mark();
  const std::size_t touched = touched_.size();
  ask_more(move);
  const double more_bytes = more_overflow_bytes();
  bytes_.go_back();
  touched_.resize(touched);
  asked_.pop_back();
  return more_bytes;
}

/// Until `undo`.
void EstimatedMemory::make(const Move& move) {
  undone_.push_back({move.group, placement_[move.group]});
  placement_.devices[move.group.index()] = move.device;
}

void EstimatedMemory::undo() {
  for (; !undone_.empty(); undone_.pop_back()) {
    placement_.devices[undone_.back().group.index()] = undone_.back().device;
  }
}

void EstimatedMemory::collect(const Move& move) {
  const DeviceId from = placement_[move.group];
  if (from == move.device) return;
  for (const DeviceId device : {from, move.device}) {
    if (std::ranges::find(touched_, device.index()) == touched_.end()) {
      touched_.push_back(device.index());
    }
  }
  collect(move.group, number(from), number(move.device));
  make(move);
}

void EstimatedMemory::move() {
  bytes_.take();
  for (const auto& [group, device] : asked_) placement_.devices[group.index()] = device;
  asked_.clear();
}

void EstimatedMemory::follow(const Placement& placement) {
  std::vector<Move> moves;
  for (const GroupId group : IdRange<GroupId>(problem_.groups().size())) {
    if (placement[group] != placement_[group]) moves.push_back({group, placement[group]});
  }
  ask(moves);
  move();
}

double EstimatedMemory::overflow_bytes(std::size_t device, double most_bytes) const {
  return std::max(0.0, peak_scale_[device] * most_bytes - capacity_bytes_[device]);
}

double EstimatedMemory::more_overflow_bytes(std::size_t device) const {
  double before_bytes = 0, after_bytes = 0;
  for (std::size_t at = device; at < bands_ * devices_; at += devices_) {
    before_bytes = std::max(before_bytes, bytes_[at]);
    after_bytes = std::max(after_bytes, bytes_.changed(at));
  }
  return overflow_bytes(device, after_bytes) - overflow_bytes(device, before_bytes);
}

double EstimatedMemory::more_overflow_bytes() const {
  double more_bytes = 0;
  for (const std::size_t device : touched_) more_bytes += more_overflow_bytes(device);
  return more_bytes;
}

DeviceId EstimatedMemory::fullest_asked() const {
  return DeviceId(*std::ranges::max_element(
      touched_, {}, [this](std::size_t device) { return more_overflow_bytes(device); }));
}

void EstimatedMemory::add_parameters(GroupId group, std::uint32_t device, double sign) {
  const double bytes = sign * params_bytes_[group.index()];
  for (std::size_t band = 0; bytes != 0 && band < bands_; ++band) {
    bytes_.add(band * devices_ + device, bytes);
  }
}

void EstimatedMemory::collect(GroupId group, std::uint32_t from, std::uint32_t to) {
  add_parameters(group, from, -1);
  add_parameters(group, to, 1);
  const auto moved = static_cast<std::uint32_t>(group.index());
  for (const std::uint32_t net : lives_.nets_of(moved)) {
    collect_net(lives_.net(net), moved, from, to);
  }
}

/// Until when its device holds the net if no op there reads it.
float EstimatedMemory::made_end(const Net& net) const {
  return net.is_kept ? static_cast<float>(bands_) : net.start + kSoon;
}

/// How long the two devices hold the net, with and without the move.
void EstimatedMemory::collect_net(const Net& net, std::uint32_t group, std::uint32_t from,
                                  std::uint32_t to) {
  float from_end = -1, to_end = -1, own_end = -1;
  const auto holds = [&](std::uint32_t of, float end) {
    if (of == group) {
      own_end = std::max(own_end, end);
      return;
    }
    const std::uint32_t device = number(placement_[GroupId(of)]);
    if (device == from) from_end = std::max(from_end, end);
    if (device == to) to_end = std::max(to_end, end);
  };
  holds(net.producer, made_end(net));
  for (const TensorLives::Reader& reader : lives_.readers(net)) holds(reader.group, reader.end);
  hold(net, from, std::max(from_end, own_end), from_end);
  hold(net, to, to_end, std::max(to_end, own_end));
}

/// What the device holds of the net if it does so until `after` instead of `before`; below 0: not
/// at all. A band counts as much as is covered of it.
void EstimatedMemory::hold(const Net& net, std::uint32_t device, float before, float after) {
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
