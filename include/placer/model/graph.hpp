#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "placer/base/ids.hpp"
#include "placer/model/fields.hpp"

namespace placer {

/// What an op produces, for people and for learners' features; the simulator reads tensors.
/// `kOutputFields` says what each member means.
struct OutputShape {
  std::vector<std::int64_t> shape;
  std::string dtype;
  friend bool operator==(const OutputShape&, const OutputShape&) = default;
};

inline constexpr std::tuple kOutputFields = {
    field("shape", &OutputShape::shape, {.presence = Presence::kRequired},
          "Extents in elements; empty for a scalar."),
    field("dtype", &OutputShape::dtype, {}, "Such as float32."),
};

/// `kOpFields` says what each member means; an empty group is none.
struct Op {
  std::string name;
  std::string type;
  std::vector<std::pair<std::string, double>> seconds;
  std::optional<double> flops;
  std::optional<double> bytes;
  std::int64_t params_bytes = 0;
  std::int64_t temp_bytes = 0;
  std::string group;
  std::vector<std::string> devices;
  bool backward = false;
  std::vector<OutputShape> outputs;
  std::string module;
  std::vector<std::string> nodes, params;
};

inline constexpr std::tuple kOpFields = {
    field("name", &Op::name, {.presence = Presence::kRequired, .bearing = Bearing::kName},
          "Unique in the graph."),
    field("type", &Op::type, {.may_be_empty = true}, "The kind of op, such as conv2d."),
    field("seconds", &Op::seconds, {},
          "Seconds that the op takes, by device name or device type; the name wins."),
    field("flops", &Op::flops, {}, "Floating-point operations, 2 per multiply-add."),
    field("bytes", &Op::bytes, {}, "Memory traffic: bytes read and written."),
    field("params_bytes", &Op::params_bytes, {},
          "Bytes that the op holds on its device for the whole step."),
    field("temp_bytes", &Op::temp_bytes, {}, "Bytes that the op needs while it runs."),
    field("group", &Op::group, {}, "Ops with the same group share a device."),
    field("devices", &Op::devices, {.items = "device name or type"},
          "Names or types of the devices that the op may be placed on, '*' for all; all without "
          "it."),
    field("backward", &Op::backward, {}, "Whether the op is no part of the forward pass."),
    field("outputs", &Op::outputs, {},
          "What the op produces, as information; sizes count in tensors and edges."),
    field("module", &Op::module, {.bearing = Bearing::kLabel},
          "The module of the model that the op is part of, such as model.layers.0.mlp; else the "
          "op's name says it."),
    field("nodes", &Op::nodes, {.bearing = Bearing::kLabel, .items = "node name"},
          "The nodes of the file that the op comes from, where they are not the op alone: with "
          "views of what it produces, and what was folded into it."),
    field("params", &Op::params, {.bearing = Bearing::kLabel, .items = "parameter name"},
          "The parameters of the file that the op reads; one that several read is the first's."),
};

/// What one op, the producer, hands to other ops, the consumers. It is sent once to each device
/// that needs it. `kTensorFields` says what each member means.
struct Tensor {
  std::string name;
  OpId producer;
  std::vector<OpId> consumers;
  std::int64_t bytes = 0;
  bool keep = false;
  std::optional<double> transfer_seconds;
};

inline constexpr std::tuple kTensorFields = {
    field("name", &Tensor::name, {.bearing = Bearing::kLabel}, "Unique among its producer's."),
    field("producer", &Tensor::producer, {.presence = Presence::kRequired}, "The name of an op."),
    field("consumers", &Tensor::consumers, {.presence = Presence::kRequired},
          "Names of other ops."),
    field("bytes", &Tensor::bytes, {.presence = Presence::kRequired},
          "Size in bytes; 0 is a control dependency."),
    field("keep", &Tensor::keep, {},
          "Whether it stays on its producer's device to the end of the step."),
    field("transfer_seconds", &Tensor::transfer_seconds, {},
          "Seconds over any link, instead of the link's latency and bandwidth."),
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
