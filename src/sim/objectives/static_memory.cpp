#include "sim/objectives/static_memory.hpp"

#include <algorithm>
#include <functional>

namespace placer {

StaticMemory::StaticMemory(const Problem& problem) {
  const Graph& graph = problem.graph();
  for (const Device& device : problem.topology().devices()) {
    capacity_.push_back(device.memory_bytes);
  }
  for (const Op& op : graph.ops()) params_.push_back(op.params_bytes);
  for (const Tensor& tensor : graph.tensors()) {
    const bool is_forward = !graph.op(tensor.producer).backward;
    const bool waits = std::ranges::any_of(
        tensor.consumers, [&](OpId consumer) { return is_forward && graph.op(consumer).backward; });
    tensor_bytes_.push_back(tensor.bytes);
    stays_.push_back(tensor.keep || waits ? 1 : 0);
  }
  number_needs(problem);
  clear();
}

void StaticMemory::number_needs(const Problem& problem) {
  std::vector<std::int64_t> need_of_op;
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    std::int64_t& need = need_of_op.emplace_back(problem.graph().op(op).temp_bytes);
    for (const TensorId tensor : problem.graph().outputs(op)) {
      if (stays_[tensor.index()] == 0) need += tensor_bytes_[tensor.index()];
    }
  }
  const auto collect = [&] {
    needs_ = need_of_op;
    needs_.push_back(0);
    std::ranges::sort(needs_, std::greater());
    needs_.erase(std::unique(needs_.begin(), needs_.end()), needs_.end());
  };
  collect();
  if (needs_.size() > kMostNeeds) {
    const std::int64_t grain = needs_.front() / static_cast<std::int64_t>(kMostNeeds) + 1;
    for (std::int64_t& need : need_of_op) need = (need + grain - 1) / grain * grain;
    collect();
  }
  for (const std::int64_t need : need_of_op) {
    const auto at = std::ranges::lower_bound(needs_, need, std::greater());
    need_of_.push_back(static_cast<std::uint32_t>(at - needs_.begin()));
  }
}

void StaticMemory::clear() {
  held_.assign(capacity_.size(), 0);
  counts_.assign(capacity_.size() * needs_.size(), 0);
  largest_.assign(capacity_.size(), needs_.size() - 1);
}

void StaticMemory::count_op(OpId op, DeviceId device, int sign) {
  held_[device.index()] += sign * params_[op.index()];
  const std::size_t need = need_of_[op.index()];
  const auto counts = counts_.begin() + static_cast<std::ptrdiff_t>(device.index() * needs_.size());
  std::uint32_t& count = counts[static_cast<std::ptrdiff_t>(need)];
  count = sign > 0 ? count + 1 : count - 1;
  std::size_t& largest = largest_[device.index()];
  largest = std::min(largest, need);
  while (largest + 1 < needs_.size() && counts[static_cast<std::ptrdiff_t>(largest)] == 0) {
    ++largest;
  }
}

std::int64_t StaticMemory::bytes(DeviceId device) const {
  return held_[device.index()] + needs_[largest_[device.index()]];
}

std::int64_t StaticMemory::overflow_bytes() const {
  std::int64_t overflow = 0;
  for (std::size_t device = 0; device < capacity_.size(); ++device) {
    overflow += std::max<std::int64_t>(0, bytes(DeviceId(device)) - capacity_[device]);
  }
  return overflow;
}

}  // namespace placer
