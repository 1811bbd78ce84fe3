#include "search/core/collapse.hpp"

namespace placer {
namespace {

constexpr std::size_t kRecent = 100;
constexpr int kMost = 90;

/// The device of all groups that have a choice; empty where they are on several or fewer than two.
std::optional<DeviceId> device_of_all(const Problem& problem, const Placement& placement) {
  std::optional<DeviceId> device;
  int choices = 0;
  for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
    if (problem.groups().allowed(group).size() < 2) continue;
    if (device && placement[group] != *device) return std::nullopt;
    device = placement[group];
    ++choices;
  }
  return choices < 2 ? std::nullopt : device;
}

}  // namespace

void CollapseWatch::add(const Problem& problem, const Placement& placement) {
  const std::optional<DeviceId> device = device_of_all(problem, placement);
  on_.resize(problem.device_count());
  if (recent_.size() < kRecent) {
    recent_.push_back(device);
  } else {
    std::optional<DeviceId>& oldest = recent_[static_cast<std::size_t>(samples_) % kRecent];
    if (oldest) --on_[oldest->index()];
    oldest = device;
  }
  if (device) ++on_[device->index()];
  ++samples_;
  if (since_ && on_[since_->device.index()] >= kMost) return;
  since_.reset();
  if (device && recent_.size() == kRecent && on_[device->index()] >= kMost) {
    since_ = Collapse{*device, samples_ - static_cast<std::int64_t>(kRecent)};
  }
}

std::optional<Collapse> CollapseWatch::collapse() const { return since_; }

}  // namespace placer
