#include "search/local/sent_tensors.hpp"

#include <algorithm>

namespace placer {

SentTensors::SentTensors(const Problem& problem, const Placement& placement)
    : problem_(problem),
      devices_(problem.device_count()),
      receivers_(problem.graph().tensors().size() * devices_, 0),
      produced_(problem.groups().size()),
      consumed_(problem.groups().size()) {
  std::vector<GroupId> consumers;
  for (const TensorId id : IdRange<TensorId>(problem.graph().tensors().size())) {
    const Tensor& tensor = problem.graph().tensor(id);
    const GroupId producer = problem.groups().of(tensor.producer);
    senders_.push_back(placement[producer]);
    if (tensor.bytes == 0) continue;
    consumers.clear();
    for (const OpId op : tensor.consumers) {
      const GroupId group = problem.groups().of(op);
      if (group != producer) consumers.push_back(group);
    }
    std::ranges::sort(consumers);
    consumers.erase(std::unique(consumers.begin(), consumers.end()), consumers.end());
    if (!consumers.empty()) produced_[producer.index()].push_back(id);
    for (const GroupId group : consumers) {
      consumed_[group.index()].push_back(id);
      ++receivers(id, placement[group]);
    }
  }
}

std::int64_t SentTensors::move(GroupId group, DeviceId from, DeviceId to) {
  const CostModel& costs = problem_.costs();
  std::int64_t more_ps = 0;
  for (const TensorId tensor : produced_[group.index()]) {
    senders_[tensor.index()] = to;
    for (const DeviceId device : IdRange<DeviceId>(devices_)) {
      if (receivers(tensor, device) == 0) continue;
      more_ps += costs.transfer_ps(tensor, to, device) - costs.transfer_ps(tensor, from, device);
    }
  }
  for (const TensorId tensor : consumed_[group.index()]) {
    const DeviceId sender = senders_[tensor.index()];
    if (--receivers(tensor, from) == 0) more_ps -= costs.transfer_ps(tensor, sender, from);
    if (receivers(tensor, to)++ == 0) more_ps += costs.transfer_ps(tensor, sender, to);
  }
  return more_ps;
}

}  // namespace placer
