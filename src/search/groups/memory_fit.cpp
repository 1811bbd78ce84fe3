#include "search/groups/memory_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "placer/base/text.hpp"
#include "search/groups/held_at_once.hpp"
#include "search/groups/held_while_running.hpp"

namespace placer {
namespace {

constexpr double kWorthAnInstant = 1.01;  // times what is kept: else that is easier to understand

}  // namespace

MemoryFit::MemoryFit(const Problem& problem)
    : device_count_(problem.device_count()), may_go_(problem.groups().size() * device_count_, 0) {
  for (const DeviceId device : IdRange<DeviceId>(device_count_)) {
    kind_.push_back(problem.costs().kind(device));
    if (kind_.back() == memory_.size()) memory_.push_back(group_memory_on(problem, device));
  }
  if (problem.goal().objective == Objective::kLatency) {
    hold_while_running(problem);
    hold_at_once(problem);
  }
  choose_devices(problem);
  check_total(problem);
}

MemoryFit MemoryFit::with_passing(const Problem& problem, double share) const {
  MemoryFit fit = *this;
  fit.keep_passing(problem, share);
  fit.check_total(problem);
  return fit;
}

/// An op that takes no time on a device holds nothing there.
void MemoryFit::hold_while_running(const Problem& problem) {
  const std::vector<std::int64_t> held_bytes = held_while_running(problem);
  if (held_bytes.empty()) return;
  for (const DeviceId device : IdRange<DeviceId>(device_count_)) {
    std::vector<GroupMemory>& memory = memory_[kind_[device.index()]];
    for (const OpId op : IdRange<OpId>(problem.op_count())) {
      const GroupId group = problem.groups().of(op);
      if (!problem.groups().is_allowed(group, device)) continue;
      if (problem.costs().op_ps(op, device) == 0) continue;
      GroupMemory& of = memory[group.index()];
      of.at_least_bytes = std::max(of.at_least_bytes, of.always_bytes + held_bytes[op.index()]);
      of.at_most_bytes = std::max(of.at_most_bytes, of.at_least_bytes);
    }
  }
}

/// What is kept is all there at the end of the step; at another instant there may be more.
void MemoryFit::hold_at_once(const Problem& problem) {
  const std::vector<Device>& devices = problem.topology().devices();
  const auto held = fullest_instant(
      problem, std::ranges::min_element(devices, {}, &Device::memory_bytes)->memory_bytes);
  if (!held) return;
  std::int64_t held_bytes = 0, kept_bytes = 0;
  for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
    std::int64_t most = 0;
    for (const DeviceId device : problem.groups().allowed(group)) {
      most = std::max(most, memory(group, device).kept_bytes);
    }
    kept_bytes += most;
    held_bytes += held->bytes[group.index()];
  }
  if (static_cast<double>(held_bytes) <= kWorthAnInstant * static_cast<double>(kept_bytes)) return;
  for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
    for (const DeviceId device : problem.groups().allowed(group)) {
      GroupMemory& memory = memory_[kind_[device.index()]][group.index()];
      memory.kept_bytes = held->bytes[group.index()];
      memory.at_least_bytes = std::max(memory.at_least_bytes, memory.kept_bytes);
      memory.at_most_bytes = std::max(memory.at_most_bytes, memory.kept_bytes);
    }
  }
  instant_ = shown_name(problem.graph().op(held->op).name);
  open_bytes_ = held->open_bytes;
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
      ranges_.push_back({devices_.size(), found.size()});
      devices_.insert(devices_.end(), found.begin(), found.end());
    } else {
      ranges_.push_back(ranges_.back());
    }
    for (const DeviceId device : devices(group)) {
      may_go_[group.index() * device_count_ + device.index()] = 1;
    }
  }
}

void MemoryFit::check_total(const Problem& problem) {
  is_ample_ = memory_is_ample(problem);
  std::int64_t least_bytes = open_bytes_;
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
    infeasible_ = fmt::format("{} take {} bytes, more than the {} bytes of all devices together",
                              what_is_held(), least_bytes, memory_bytes);
  }
}

std::string MemoryFit::what_is_held() const {
  if (instant_.empty()) return "parameters and kept tensors";
  return fmt::format("parameters and tensors that are in use while op '{}' runs", instant_);
}

}  // namespace placer
