#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "placer/model/problem.hpp"

namespace placer {

/// The graph as the event loop walks it. An edge is a pair (tensor, consumer); edges are numbered
/// tensor by tensor, so that a tensor's edges are a range.
class Layout {
 public:
  struct Edge {
    std::uint32_t tensor, consumer;
  };
  struct TensorInfo {
    std::int64_t bytes;
    std::uint32_t producer, first_edge, end_edge;
    bool keep;
  };
  struct OpInfo {
    std::int64_t params_bytes, temp_bytes, output_bytes;
    std::uint32_t inputs;  // how many
  };

  explicit Layout(const Graph& graph);

  const std::vector<OpInfo>& ops() const { return ops_; }
  const std::vector<TensorInfo>& tensors() const { return tensors_; }
  const std::vector<Edge>& edges() const { return edges_; }
  std::span<const std::uint32_t> input_edges(std::uint32_t op) const {
    return {input_edges_.data() + input_offsets_[op], input_edges_.data() + input_offsets_[op + 1]};
  }

 private:
  std::vector<OpInfo> ops_;
  std::vector<TensorInfo> tensors_;
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> input_offsets_, input_edges_;
};

/// A device could hold more than it has room for if all that there is came there.
bool memory_may_be_short(const Problem& problem);

}  // namespace placer
