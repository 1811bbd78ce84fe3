#include "search/groups/memory_fit.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace placer {
namespace {

/// What is held while `op` runs, besides parameters.
std::int64_t running_bytes(const Graph& graph, OpId op) {
  std::int64_t bytes = graph.op(op).temp_bytes;
  for (const TensorId id : graph.outputs(op)) bytes += graph.tensor(id).bytes;
  for (const TensorId id : graph.inputs(op)) bytes += graph.tensor(id).bytes;
  return bytes;
}

std::int64_t kept_bytes(const Graph& graph, OpId op) {
  std::int64_t bytes = 0;
  for (const TensorId id : graph.outputs(op)) {
    if (graph.tensor(id).keep) bytes += graph.tensor(id).bytes;
  }
  return bytes;
}

}  // namespace

MemoryFit::MemoryFit(const Problem& problem)
    : device_count_(problem.device_count()),
      held_bytes_(problem.groups().size() * device_count_, 0),
      alone_bytes_(held_bytes_.size(), 0),
      may_go_(held_bytes_.size(), 0) {
  measure(problem);
  choose_devices(problem);
  check_total(problem);
}

/// What is held for no time counts for nothing, so only ops that take time hold more than their
/// parameters.
void MemoryFit::measure(const Problem& problem) {
  const Graph& graph = problem.graph();
  std::vector<std::int64_t> params(held_bytes_.size(), 0), most_running(held_bytes_.size(), 0);
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    const GroupId group = problem.groups().of(op);
    const std::int64_t running = running_bytes(graph, op);
    const std::int64_t kept = kept_bytes(graph, op);
    for (const DeviceId device : problem.groups().allowed(group)) {
      const std::size_t at = group.index() * device_count_ + device.index();
      params[at] += graph.op(op).params_bytes;
      if (problem.costs().op_ps(op, device) == 0) continue;
      held_bytes_[at] += kept;
      most_running[at] = std::max(most_running[at], running);
    }
  }
  for (std::size_t at = 0; at < held_bytes_.size(); ++at) {
    held_bytes_[at] += params[at];
    alone_bytes_[at] = std::max(held_bytes_[at], params[at] + most_running[at]);
  }
}

void MemoryFit::choose_devices(const Problem& problem) {
  const Topology& topology = problem.topology();
  for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
    const auto allowed = problem.groups().allowed(group);
    const auto alone = [&](DeviceId device) {
      return alone_bytes_[group.index() * device_count_ + device.index()];
    };
    std::ranges::copy_if(allowed, std::back_inserter(devices_), [&](DeviceId device) {
      return alone(device) <= topology.device(device).memory_bytes;
    });
    if (devices_.size() == offsets_.back()) {
      const DeviceId least = *std::ranges::min_element(allowed, {}, alone);
      if (infeasible_.empty()) {
        infeasible_ = fmt::format(
            "the group of op '{}' needs at least {} bytes at once, more than any device where it "
            "may go has",
            problem.graph().op(problem.groups().ops(group).front()).name, alone(least));
      }
      devices_.insert(devices_.end(), allowed.begin(), allowed.end());
    }
    ranges_.push_back({offsets_.back(), devices_.size() - offsets_.back()});
    offsets_.push_back(devices_.size());
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
  ranges_[group.index()] = {offsets_[group.index()] + at, 1};
}

void MemoryFit::free(GroupId group) {
  const std::size_t first = offsets_[group.index()];
  const std::size_t count = offsets_[group.index() + 1] - first;
  if (ranges_[group.index()].count < count) --fixed_;
  ranges_[group.index()] = {first, count};
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
    std::int64_t least = held_bytes(group, devices(group).front());
    for (const DeviceId device : devices(group)) {
      least = std::min(least, held_bytes(group, device));
      wanted_bytes[device.index()] += held_bytes(group, device);
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
