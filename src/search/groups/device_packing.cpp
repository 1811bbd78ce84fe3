#include "search/groups/device_packing.hpp"

#include <algorithm>
#include <numeric>

namespace placer {
namespace {

constexpr std::int64_t kMostSteps = 100'000;

/// Groups by falling size; each goes to its wish or, where that is full, to the device with the
/// least room that suffices.
class Packing {
 public:
  Packing(const Problem& problem, const std::vector<std::int64_t>& bytes, const Placement& wish)
      : problem_(problem), bytes_(bytes), placement_(wish) {
    for (const Device& device : problem.topology().devices()) room_.push_back(device.memory_bytes);
    for (const GroupId group : IdRange<GroupId>(problem.groups().size())) order_.push_back(group);
    std::ranges::stable_sort(order_, std::ranges::greater{},
                             [&](GroupId group) { return bytes[group.index()]; });
    left_.assign(order_.size() + 1, 0);
    for (std::size_t i = order_.size(); i > 0; --i) {
      left_[i - 1] = left_[i] + bytes[order_[i - 1].index()];
    }
  }

  std::optional<Placement> run(bool heed_wishes) {
    steps_ = 0;
    heed_wishes_ = heed_wishes;
    std::vector<std::vector<DeviceId>> untried = {choices(0)};
    const Placement wish = placement_;
    std::size_t at = 0;
    while (at < order_.size() && ++steps_ < kMostSteps) {
      // Depth `at` tries its next device; without one, the group before moves on.
      if (untried[at].empty()) {
        untried.pop_back();
        if (at == 0) break;
        --at;
        room_[placement_[order_[at]].index()] += bytes_[order_[at].index()];
        placement_[order_[at]] = wish[order_[at]];
        continue;
      }
      placement_[order_[at]] = untried[at].back();
      room_[untried[at].back().index()] -= bytes_[order_[at].index()];
      untried[at].pop_back();
      if (++at < order_.size()) untried.push_back(choices(at));
    }
    if (at == order_.size()) return placement_;
    for (; at > 0; --at)
      room_[placement_[order_[at - 1]].index()] += bytes_[order_[at - 1].index()];
    placement_ = wish;
    return std::nullopt;
  }

 private:
  /// Worst first; none where what is left cannot fit any more.
  std::vector<DeviceId> choices(std::size_t at) const {
    const GroupId group = order_[at];
    if (std::accumulate(room_.begin(), room_.end(), std::int64_t{0}) < left_[at]) return {};
    std::vector<DeviceId> devices;
    for (const DeviceId device : problem_.groups().allowed(group)) {
      if (bytes_[group.index()] <= room_[device.index()]) devices.push_back(device);
    }
    std::ranges::stable_sort(devices, std::ranges::greater{},
                             [&](DeviceId device) { return room_[device.index()]; });
    const auto wished = std::ranges::find(devices, placement_[group]);
    if (heed_wishes_ && wished != devices.end()) std::rotate(wished, wished + 1, devices.end());
    return devices;
  }

  const Problem& problem_;
  const std::vector<std::int64_t>& bytes_;
  Placement placement_;
  bool heed_wishes_ = true;
  std::vector<std::int64_t> room_;  // by device
  std::vector<GroupId> order_;
  std::vector<std::int64_t> left_;  // by position in `order_`: bytes from there on
  std::int64_t steps_ = 0;
};

}  // namespace

std::optional<Placement> fitting_devices(const Problem& problem,
                                         const std::vector<std::int64_t>& bytes,
                                         const Placement& wish) {
  Packing packing(problem, bytes, wish);
  if (std::optional<Placement> found = packing.run(true)) return found;
  return packing.run(false);
}

std::vector<DeviceId> fast_devices(const Problem& problem) {
  std::vector<double> seconds_per_op(problem.device_count(), 0);
  std::vector<double> fastest(problem.device_count(), 0);
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    const auto fastest_ps = static_cast<double>(problem.fastest_ps(op));
    for (const DeviceId device : problem.groups().allowed(problem.groups().of(op))) {
      seconds_per_op[device.index()] += static_cast<double>(problem.costs().op_ps(op, device));
      fastest[device.index()] += fastest_ps;
    }
  }
  std::vector<DeviceId> devices;
  for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
    const bool used = fastest[device.index()] > 0;
    if (used && seconds_per_op[device.index()] <= 2 * fastest[device.index()]) {
      devices.push_back(device);
    }
  }
  if (devices.empty()) {
    for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
      devices.push_back(device);
    }
  }
  return devices;
}

}  // namespace placer
