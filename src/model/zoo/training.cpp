// Layers from the ops of a graph, so that step_graph.cpp can train it.
#include "placer/model/training.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "model/zoo/gradient_work.hpp"
#include "model/zoo/gradients.hpp"
#include "model/zoo/network.hpp"
#include "placer/base/errors.hpp"
#include "placer/base/text.hpp"
#include "placer/model/op_types.hpp"

namespace placer {
namespace {

constexpr std::int64_t kLargestConstant = 8;  // bytes; what is larger is a weight
constexpr std::int64_t kIndexBytes = 8;       // of a pool
constexpr double kMostBytes = 0x1p50;

/// Bytes of an output as its op describes it; shapes in files may be of any size.
double described_bytes(const OutputShape& output) {
  auto bytes = static_cast<double>(dtype_bytes(output.dtype));
  for (const std::int64_t extent : output.shape) bytes *= static_cast<double>(extent);
  return bytes;
}

class Lifter {
 public:
  explicit Lifter(const Graph& graph) : graph_(graph), output_of_(graph.tensors().size()) {
    for (const OpId op : graph.program_order()) lift(op);
  }
  /// Adds the loss behind the outputs.
  std::vector<Layer> take_trained() &&;

 private:
  const Layer& at(LayerId id) const { return layers_[id.index()]; }
  void lift(OpId op);
  void set_inputs(Layer& layer, OpId op) const;
  void set_output(Layer& layer, const Op& op, std::size_t k, std::int64_t bytes) const;
  void set_stash(Layer& layer, std::size_t outputs) const;
  void set_weights(Layer& layer, const Op& op);
  LayerId append(Layer layer);

  const Graph& graph_;
  std::vector<Layer> layers_;
  std::vector<LayerId> output_of_;                            // by tensor
  std::map<std::string, std::vector<LayerId>> with_weights_;  // by group
  std::vector<LayerId> ends_;                                 // outputs of the graph
};

LayerId Lifter::append(Layer layer) {
  std::vector<const Layer*> inputs;
  for (const LayerId input : layer.inputs) inputs.push_back(&at(input));
  const LayerId owner = layer.weights_of.value_or(LayerId());
  const std::int64_t weights = layer.weights_of ? at(owner).params_bytes : layer.params_bytes;
  set_gradient_work(layer, inputs, static_cast<double>(weights));
  layers_.push_back(std::move(layer));
  return LayerId(layers_.size() - 1);
}

void Lifter::set_inputs(Layer& layer, OpId op) const {
  for (const TensorId tensor : graph_.inputs(op)) {
    const LayerId from = output_of_[tensor.index()];
    const bool is_control = graph_.tensor(tensor).bytes == 0;
    (is_control ? layer.controls : layer.inputs).push_back(from);
    if (is_control && at(from).type == "variable") layer.weights_of = from;
  }
}

/// Where what the op says of its outputs does not agree with the tensor, the tensor counts.
void Lifter::set_output(Layer& layer, const Op& op, std::size_t k, std::int64_t bytes) const {
  if (k < op.outputs.size()) {
    layer.shape = op.outputs[k].shape;
    layer.dtype = op.outputs[k].dtype;
    if (described_bytes(op.outputs[k]) == static_cast<double>(bytes)) return;
  }
  if (bytes % dtype_bytes(layer.dtype) != 0) layer.dtype = "uint8";
  layer.shape = {bytes / dtype_bytes(layer.dtype)};
}

void Lifter::set_stash(Layer& layer, std::size_t outputs) const {
  const LayerId self(layers_.size());
  const Stash stash = stash_of(layer.type);
  if (stash == Stash::kInput || stash == Stash::kInputs || counts_as_product(layer.type)) {
    layer.stash = layer.inputs;
  }
  if (stash == Stash::kOutput) {
    for (std::size_t k = 0; k < outputs; ++k) {
      layer.stash.push_back(outputs == 1 ? self : LayerId(self.index() + 1 + k));
    }
  }
  if (layer.type == "max_pool") {
    layer.saved_bytes = kIndexBytes * output_bytes(layer) / dtype_bytes(layer.dtype);
  }
}

void Lifter::set_weights(Layer& layer, const Op& op) {
  if (op.params_bytes > kLargestConstant) {
    layer.params_bytes = op.params_bytes;
    with_weights_[op.group].push_back(LayerId(layers_.size()));
    if (layer.scope.empty()) layer.scope = op.name;
    const bool moves = layer.type == "concat";
    if (!has_gradient_rule(layer) && !moves) layer.stash = layer.inputs;
    return;
  }
  if (layer.weights_of || op.group.empty() || layer.inputs.size() != 1) return;
  const double read = layer.forward.bytes - traffic(at(layer.inputs.front())) - traffic(layer);
  for (const LayerId owner : with_weights_[op.group]) {
    const bool is_table = at(owner).type == "gather" && counts_as_product(layer.type);
    if ((is_table || at(owner).type == layer.type) &&
        read == static_cast<double>(at(owner).params_bytes)) {
      layer.weights_of = owner;
      return;
    }
  }
}

void Lifter::lift(OpId id) {
  const Op& op = graph_.op(id);
  const auto tensors = graph_.outputs(id);
  Layer layer;
  layer.name = op.name;
  layer.type = our_type(op.type);
  layer.scope = op.group;
  layer.given = &op;
  layer.forward = {op.flops.value_or(0), op.bytes.value_or(0)};
  set_inputs(layer, id);
  if (!tensors.empty()) {
    set_output(layer, op, 0, graph_.tensor(tensors.front()).bytes);
    if (tensors.size() == 1) layer.given_output = &graph_.tensor(tensors.front());
  } else if (!op.outputs.empty() && described_bytes(op.outputs.front()) < kMostBytes) {
    layer.shape = op.outputs.front().shape;
    layer.dtype = op.outputs.front().dtype;
  }
  layer.has_parts = tensors.size() > 1;
  set_stash(layer, tensors.size());
  set_weights(layer, op);
  const Layer whole = at(append(std::move(layer)));
  const LayerId self(layers_.size() - 1);
  if (tensors.size() == 1) output_of_[tensors.front().index()] = self;
  for (std::size_t k = 0; k < tensors.size() && whole.has_parts; ++k) {
    Layer part;
    part.given_output = &graph_.tensor(tensors[k]);
    part.name = part.given_output->name;
    part.scope = whole.scope;
    part.inputs = {self};
    part.part_of = self;
    set_output(part, op, k, part.given_output->bytes);
    output_of_[tensors[k].index()] = append(std::move(part));
  }
  const bool is_end = std::ranges::all_of(
      tensors, [&](TensorId tensor) { return graph_.tensor(tensor).consumers.empty(); });
  for (std::size_t i = self.index(); is_end && i < layers_.size(); ++i) {
    if (!layers_[i].has_parts) ends_.push_back(LayerId(i));
  }
}

std::vector<Layer> Lifter::take_trained() && {
  const GradientPath path(layers_);
  std::erase_if(ends_, [&](LayerId end) { return path.needs[end.index()] == 0; });
  if (ends_.empty()) {
    throw Error("ops: expected parameters to train on a path to an output, found none");
  }
  const bool has_loss = std::ranges::any_of(graph_.ops(), [](const Op& op) {
    return op.name.starts_with("loss/") || op.group == "loss";
  });
  append_loss(layers_, has_loss ? "training_loss" : "loss", "loss", ends_);
  return std::move(layers_);
}

void require_inference(const Graph& graph) {
  for (std::size_t i = 0; i < graph.ops().size(); ++i) {
    if (!graph.ops()[i].backward) continue;
    throw Error(
        fmt::format("ops[{}]: expected an inference graph to train, found the backward op "
                    "'{}'",
                    i, shown_name(graph.ops()[i].name)));
  }
}

}  // namespace

Graph training_graph(const Graph& inference, const UpdateRule& rule) {
  require_inference(inference);
  const std::vector<Layer> layers = Lifter(inference).take_trained();
  StepParts parts = write_step(layers, {.training = named<TrainingRule>(rule.name)});
  return Graph(inference.name(), std::move(parts.ops), std::move(parts.tensors));
}

}  // namespace placer
