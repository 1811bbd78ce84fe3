#include "search/joins/device_kinds.hpp"

#include <algorithm>

namespace placer {
namespace {

constexpr double kMostPairs = 1e8;       // of kinds, times things
constexpr std::size_t kFewDevices = 64;  // whose pairs are always looked at

}  // namespace

DeviceKinds::DeviceKinds(const Problem& problem) {
  for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
    const DeviceId first = problem.first_identical(device);
    if (first == device) {
      columns_.of.push_back(static_cast<std::uint32_t>(firsts_.size()));
      firsts_.push_back(device);
      seconds_.push_back(device);
      continue;
    }
    const std::uint32_t kind = columns_.of[first.index()];
    columns_.of.push_back(kind);
    if (seconds_[kind] == first) seconds_[kind] = device;
  }
  columns_.count = firsts_.size();
}

std::vector<DeviceId> DeviceKinds::places(DeviceId first) const {
  std::vector<DeviceId> places = firsts_;
  const std::size_t own = columns_.of[first.index()];
  places.erase(places.begin() + static_cast<std::ptrdiff_t>(own));
  if (seconds_[own] != first) {
    places.insert(std::ranges::lower_bound(places, seconds_[own]), seconds_[own]);
  }
  places.insert(places.begin(), first);
  return places;
}

bool DeviceKinds::are_too_many(std::size_t things) const {
  const auto kinds = static_cast<double>(firsts_.size());
  return columns_.of.size() > kFewDevices &&
         kinds * kinds * static_cast<double>(things) > kMostPairs;
}

}  // namespace placer
