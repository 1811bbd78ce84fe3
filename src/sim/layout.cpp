#include "sim/layout.hpp"

#include <algorithm>

namespace placer {

Layout::Layout(const Graph& graph) {
  for (const Op& op : graph.ops()) ops_.push_back({op.params_bytes, op.temp_bytes, 0, 0});
  edges_.reserve(graph.edge_count());
  for (std::size_t t = 0; t < graph.tensors().size(); ++t) {
    const Tensor& tensor = graph.tensors()[t];
    const auto first = static_cast<std::uint32_t>(edges_.size());
    for (const OpId consumer : tensor.consumers) {
      edges_.push_back(
          {static_cast<std::uint32_t>(t), static_cast<std::uint32_t>(consumer.index())});
      ++ops_[consumer.index()].inputs;
    }
    const auto producer = static_cast<std::uint32_t>(tensor.producer.index());
    ops_[producer].output_bytes += tensor.bytes;
    tensors_.push_back(
        {tensor.bytes, producer, first, static_cast<std::uint32_t>(edges_.size()), tensor.keep});
  }
  input_offsets_.assign(ops_.size() + 1, 0);
  for (std::size_t op = 0; op < ops_.size(); ++op) {
    input_offsets_[op + 1] = input_offsets_[op] + ops_[op].inputs;
  }
  input_edges_.resize(edges_.size());
  std::vector<std::uint32_t> next(input_offsets_.begin(), input_offsets_.end() - 1);
  for (std::size_t edge = 0; edge < edges_.size(); ++edge) {
    input_edges_[next[edges_[edge].consumer]++] = static_cast<std::uint32_t>(edge);
  }
}

bool memory_may_be_short(const Problem& problem) {
  std::int64_t bytes = 0;
  for (const Op& op : problem.graph().ops()) bytes += op.params_bytes + op.temp_bytes;
  for (const Tensor& tensor : problem.graph().tensors()) bytes += tensor.bytes;
  return std::ranges::any_of(problem.topology().devices(),
                             [&](const Device& device) { return bytes > device.memory_bytes; });
}

}  // namespace placer
