#include "search/groups/memory_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "placer/base/text.hpp"

namespace placer {

MemoryFit::MemoryFit(const Problem& problem, double passing_share)
    : device_count_(problem.device_count()), may_go_(problem.groups().size() * device_count_, 0) {
  for (const DeviceId device : IdRange<DeviceId>(device_count_)) {
    kind_.push_back(problem.costs().kind(device));
    if (kind_.back() == memory_.size()) memory_.push_back(group_memory_on(problem, device));
  }
  choose_devices(problem);
  if (passing_share > 0) keep_passing(problem, passing_share);
  check_total(problem);
}

/// At most a whole memory.
void MemoryFit::keep_passing(const Problem& problem, double share) {
  for (std::size_t kind = 0; kind < memory_.size(); ++kind) {
    std::int64_t room_bytes = std::numeric_limits<std::int64_t>::max();
    for (const DeviceId device : IdRange<DeviceId>(device_count_)) {
      if (kind_[device.index()] != kind) continue;
      room_bytes = std::min(room_bytes, problem.topology().device(device).memory_bytes);
    }
    for (GroupMemory& memory : memory_[kind]) {
      memory.kept_bytes = std::min(memory.kept_and(share), room_bytes);
    }
  }
}

void MemoryFit::choose_devices(const Problem& problem) {
  const Topology& topology = problem.topology();
  Watch watch(problem.deadline());
  for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
    watch.check();
    const auto allowed = problem.groups().allowed(group);
    const auto alone_bytes = [&](DeviceId device) { return memory(group, device).at_least_bytes; };
    std::vector<DeviceId> found;
    std::ranges::copy_if(allowed, std::back_inserter(found), [&](DeviceId device) {
      return alone_bytes(device) <= topology.device(device).memory_bytes;
    });
    if (found.empty()) {
      const DeviceId least = *std::ranges::min_element(allowed, {}, alone_bytes);
      if (infeasible_.empty()) {
        infeasible_ = fmt::format(
            "the group of op '{}' needs at least {} bytes at once, more than any device where it "
            "may go has",
            shown_name(problem.graph().op(problem.groups().ops(group).front()).name),
            alone_bytes(least));
      }
      found.assign(allowed.begin(), allowed.end());
    }
    if (group == GroupId(0) || !std::ranges::equal(found, devices(GroupId(group.index() - 1)))) {
      all_.push_back({devices_.size(), found.size()});
      devices_.insert(devices_.end(), found.begin(), found.end());
    } else {
      all_.push_back(all_.back());
    }
    ranges_.push_back(all_.back());
    for (const DeviceId device : devices(group)) {
      may_go_[group.index() * device_count_ + device.index()] = 1;
    }
  }
}

void MemoryFit::fix(GroupId group, DeviceId device) {
  free(group);
  const auto all = devices(group);
  const auto at = static_cast<std::size_t>(std::ranges::find(all, device) - all.begin());
  for (const DeviceId other : all) {
    may_go_[group.index() * device_count_ + other.index()] = other == device ? 1 : 0;
  }
  if (all.size() > 1) ++fixed_;
  ranges_[group.index()] = {all_[group.index()].first + at, 1};
}

void MemoryFit::free(GroupId group) {
  if (ranges_[group.index()].count < all_[group.index()].count) --fixed_;
  ranges_[group.index()] = all_[group.index()];
  for (const DeviceId device : devices(group)) {
    may_go_[group.index() * device_count_ + device.index()] = 1;
  }
}

void MemoryFit::check_total(const Problem& problem) {
  std::int64_t all_bytes = 0;
  for (const Op& op : problem.graph().ops()) all_bytes += op.params_bytes + op.temp_bytes;
  for (const Tensor& tensor : problem.graph().tensors()) all_bytes += tensor.bytes;
  is_ample_ = std::ranges::all_of(problem.topology().devices(), [&](const Device& device) {
    return all_bytes <= device.memory_bytes;
  });
  std::int64_t least_bytes = 0;
  std::vector<std::int64_t> wanted_bytes(device_count_, 0);
  for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
    std::int64_t least = memory(group, devices(group).front()).kept_bytes;
    for (const DeviceId device : devices(group)) {
      least = std::min(least, memory(group, device).kept_bytes);
      wanted_bytes[device.index()] += memory(group, device).kept_bytes;
    }
    least_bytes += least;
  }
  std::int64_t memory_bytes = 0;
  for (const DeviceId device : IdRange<DeviceId>(device_count_)) {
    const std::int64_t capacity = problem.topology().device(device).memory_bytes;
    memory_bytes += std::min(capacity, std::int64_t{2'000'000'000'000'000'000} - memory_bytes);
    may_bind_ = may_bind_ || wanted_bytes[device.index()] > capacity;
  }
  if (infeasible_.empty() && least_bytes > memory_bytes) {
    infeasible_ = fmt::format(
        "parameters and kept tensors take {} bytes, more than the {} bytes of all devices together",
        least_bytes, memory_bytes);
  }
}

}  // namespace placer
