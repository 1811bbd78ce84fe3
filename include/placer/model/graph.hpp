#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "placer/base/ids.hpp"

namespace placer {

/// What an op produces, for people and for learners' features; the simulator reads tensors.
struct OutputShape {
  std::vector<std::int64_t> shape;
  std::string dtype;
};

struct Op {
  std::string name;  // unique, not empty
  std::string type;
  std::vector<std::pair<std::string, double>> seconds;  // by device name or device type
  std::optional<double> flops;                          // 2 x multiply-adds for products
  std::optional<double> bytes;                          // memory traffic
  std::int64_t params_bytes = 0;
  std::int64_t temp_bytes = 0;
  std::string group;                 // ops with the same one share a device; empty: alone
  std::vector<std::string> devices;  // allowed names or types; empty: all
  bool backward = false;
  std::vector<OutputShape> outputs;
};

/// What one op, the producer, hands to other ops, the consumers. It is sent once to each device
/// that needs it.
struct Tensor {
  std::string name;
  OpId producer;
  std::vector<OpId> consumers;
  std::int64_t bytes = 0;                  // 0: a control dependency
  bool keep = false;                       // stays at its producer to the end of the step
  std::optional<double> transfer_seconds;  // over any link, instead of latency and bandwidth
};

/// A directed acyclic graph of ops and the tensors between them; checked when built, then
/// immutable.
class Graph {
 public:
  /// Throws Error, its place relative to the graph file ("ops[3].name: ..."), for: no op, an empty
  /// or duplicate op name, a number out of range, a tensor that its own producer consumes, a cycle.
  /// Repeated consumers of a tensor are merged.
  Graph(std::string name, std::vector<Op> ops, std::vector<Tensor> tensors);

  const std::string& name() const { return name_; }
  const std::vector<Op>& ops() const { return ops_; }
  const std::vector<Tensor>& tensors() const { return tensors_; }
  const Op& op(OpId id) const { return ops_[id.index()]; }
  const Tensor& tensor(TensorId id) const { return tensors_[id.index()]; }

  std::span<const TensorId> inputs(OpId id) const { return inputs_.of(id); }
  std::span<const TensorId> outputs(OpId id) const { return outputs_.of(id); }
  /// The topological order that always takes the lowest op id first.
  const std::vector<OpId>& program_order() const { return program_order_; }
  /// The position of the op in the program order.
  std::size_t program_position(OpId id) const { return program_position_[id.index()]; }
  /// How many pairs of a tensor and a consumer there are.
  std::size_t edge_count() const { return edge_count_; }

 private:
  struct TensorsOfOps {
    std::vector<std::size_t> offsets;
    std::vector<TensorId> tensors;
    std::span<const TensorId> of(OpId id) const {
      return {tensors.data() + offsets[id.index()], tensors.data() + offsets[id.index() + 1]};
    }
  };

  void check_ops() const;
  void check_tensors();
  void check_bytes() const;
  void index_tensors();
  void order_ops();

  std::string name_;
  std::vector<Op> ops_;
  std::vector<Tensor> tensors_;
  TensorsOfOps inputs_, outputs_;
  std::vector<OpId> program_order_;
  std::vector<std::size_t> program_position_;  // by op id
  std::size_t edge_count_ = 0;
};

}  // namespace placer
