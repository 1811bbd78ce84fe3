#include "search/runs/run_memory.hpp"

#include <algorithm>
#include <utility>

namespace placer {

RunMemory::RunMemory(const Problem& problem, const std::vector<GroupId>& order)
    : problem_(problem),
      position_(problem.op_count()),
      uses_(order.size()),
      ops_(order.size()),
      until_(problem.graph().tensors().size(), 0),
      changes_(problem.op_count() + 2, 0) {
  const Graph& graph = problem.graph();
  const std::vector<OpId>& line = graph.program_order();
  const auto last = static_cast<std::uint32_t>(line.size());
  for (std::size_t at = 0; at < line.size(); ++at) {
    position_[line[at].index()] = static_cast<std::uint32_t>(at + 1);  // 0: no use
  }
  for (std::size_t place = 0; place < order.size(); ++place) {
    for (const OpId op : problem.groups().ops(order[place])) {
      if (graph.op(op).params_bytes + graph.op(op).temp_bytes > 0) ops_[place].push_back(op);
      const std::uint32_t now = position_[op.index()];
      for (const TensorId tensor : graph.outputs(op)) {
        const bool keeps = graph.tensor(tensor).keep;
        uses_[place].push_back({static_cast<std::uint32_t>(tensor.index()), keeps ? last : now});
      }
      for (const TensorId tensor : graph.inputs(op)) {
        uses_[place].push_back({static_cast<std::uint32_t>(tensor.index()), now});
      }
    }
  }
}

void RunMemory::hold(std::uint32_t from, std::uint32_t until, std::int64_t bytes) {
  changes_[from] += bytes;
  changes_[until + 1] -= bytes;
  first_change_ = std::min(first_change_, from);
  last_change_ = std::max(last_change_, until + 1);
}

std::int64_t RunMemory::peak_bytes(std::size_t first, std::size_t end) {
  const Graph& graph = problem_.graph();
  used_.clear();
  first_change_ = static_cast<std::uint32_t>(changes_.size());
  last_change_ = 0;
  std::int64_t now_bytes = 0;
  for (std::size_t place = first; place < end; ++place) {
    for (const OpId op : ops_[place]) {
      now_bytes += graph.op(op).params_bytes;
      const std::uint32_t at = position_[op.index()];
      hold(at, at, graph.op(op).temp_bytes);
    }
    for (const Use& use : uses_[place]) {
      if (until_[use.tensor] == 0) used_.push_back(use.tensor);
      until_[use.tensor] = std::max(until_[use.tensor], use.until);
    }
  }
  for (const std::uint32_t index : used_) {
    const Tensor& tensor = graph.tensor(TensorId(index));
    const std::uint32_t from = position_[tensor.producer.index()];
    hold(from, until_[index], tensor.bytes);
    until_[index] = 0;
  }
  std::int64_t peak_bytes = now_bytes;
  for (std::uint32_t at = first_change_; at <= last_change_; ++at) {
    now_bytes += std::exchange(changes_[at], 0);
    peak_bytes = std::max(peak_bytes, now_bytes);
  }
  return peak_bytes;
}

}  // namespace placer
