#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "model/zoo/network.hpp"

namespace placer {
namespace {

enum class Colocation { kLayer, kWeight };

class GraphWriter {
 public:
  GraphWriter(const std::vector<Layer>& layers, Colocation colocation)
      : layers_(layers),
        colocation_(colocation),
        gradients_(layers.size()),
        weight_gradients_(layers.size()) {}

  void write_forward();
  void write_backward();
  void write_updates(const UpdateRule& rule);
  Graph build(const std::string& name) && {
    return Graph(name, std::move(ops_), std::move(tensors_));
  }

 private:
  void find_gradient_path();
  OpId append(Op op);
  TensorId produce(OpId producer, std::string name, std::int64_t bytes);
  void consume(OpId consumer, TensorId tensor) {
    tensors_[tensor.index()].consumers.push_back(consumer);
  }
  OutputShape shape_of(LayerId layer) const {
    return {layers_[layer.index()].shape, layers_[layer.index()].dtype};
  }
  /// The layer whose parameters this one uses; itself where it has its own; else nothing.
  std::optional<LayerId> weights_of(LayerId layer) const;
  TensorId sum(std::size_t layer, const std::string& name, const std::vector<TensorId>& terms,
               OutputShape shape, std::int64_t bytes);
  Op op_of_layer(LayerId layer, std::string name, std::string type) const;
  OpId write_backward_op(std::size_t layer);
  std::vector<LayerId> inputs_with_gradient(const Layer& layer) const;
  /// The sum where several readers give one.
  std::optional<TensorId> output_gradient(std::size_t layer);
  void give_input_gradients(std::size_t layer, OpId backward);

  const std::vector<Layer>& layers_;
  Colocation colocation_;
  std::vector<Op> ops_;
  std::vector<Tensor> tensors_;
  std::vector<TensorId> outputs_;                 // by layer
  std::vector<TensorId> saved_;                   // by layer, where it has saved bytes
  std::vector<char> needs_gradient_;              // by layer: of its output
  std::vector<char> reaches_loss_;                // by layer
  std::vector<std::vector<TensorId>> gradients_;  // by layer: of its output, from each reader
  std::vector<std::vector<TensorId>> weight_gradients_;  // by layer with parameters
  std::vector<std::size_t> updates_;                     // layers, in the order of their first
};

OpId GraphWriter::append(Op op) {
  ops_.push_back(std::move(op));
  return OpId(ops_.size() - 1);
}

TensorId GraphWriter::produce(OpId producer, std::string name, std::int64_t bytes) {
  Tensor tensor;
  tensor.name = std::move(name);
  tensor.producer = producer;
  tensor.bytes = bytes;
  tensors_.push_back(std::move(tensor));
  return TensorId(tensors_.size() - 1);
}

std::optional<LayerId> GraphWriter::weights_of(LayerId id) const {
  const Layer& layer = layers_[id.index()];
  if (layer.weights_of) return layer.weights_of;
  return layer.params_bytes > 0 ? std::optional(id) : std::nullopt;
}

Op GraphWriter::op_of_layer(LayerId id, std::string name, std::string type) const {
  const std::optional<LayerId> owner = weights_of(id);
  Op op;
  op.name = std::move(name);
  op.type = std::move(type);
  if (colocation_ == Colocation::kLayer) op.group = layers_[owner.value_or(id).index()].scope;
  if (colocation_ == Colocation::kWeight && owner) op.group = layers_[owner->index()].name;
  return op;
}

void GraphWriter::write_forward() {
  for (const LayerId at : IdRange<LayerId>(layers_.size())) {
    const Layer& layer = layers_[at.index()];
    Op op = op_of_layer(at, layer.name, layer.type);
    op.flops = layer.forward.flops;
    op.bytes = layer.forward.bytes;
    op.params_bytes = layer.params_bytes;
    op.outputs = {{layer.shape, layer.dtype}};
    const OpId id = append(std::move(op));
    for (const LayerId input : layer.inputs) consume(id, outputs_[input.index()]);
    outputs_.push_back(produce(id, layer.name + ":output", output_bytes(layer)));
    saved_.push_back(layer.saved_bytes > 0 ? produce(id, layer.name + ":saved", layer.saved_bytes)
                                           : TensorId());
  }
}

void GraphWriter::find_gradient_path() {
  for (const Layer& layer : layers_) {
    bool needed = layer.params_bytes > 0 || layer.weights_of;
    for (const LayerId input : layer.inputs) needed |= needs_gradient_[input.index()] != 0;
    needs_gradient_.push_back(needed);
  }
  reaches_loss_.assign(layers_.size(), 0);
  reaches_loss_.back() = 1;
  for (std::size_t i = layers_.size(); i-- > 0;) {
    if (!reaches_loss_[i]) continue;
    for (const LayerId input : layers_[i].inputs) reaches_loss_[input.index()] = 1;
  }
}

void GraphWriter::write_backward() {
  find_gradient_path();
  for (std::size_t i = layers_.size(); i-- > 0;) {
    if (!needs_gradient_[i] || !reaches_loss_[i]) continue;
    const OpId backward = write_backward_op(i);
    give_input_gradients(i, backward);
    const std::optional<LayerId> owner = weights_of(LayerId(i));
    if (!owner) continue;
    std::vector<TensorId>& gradients = weight_gradients_[owner->index()];
    if (gradients.empty()) updates_.push_back(owner->index());
    gradients.push_back(produce(backward, ops_[backward.index()].name + ":parameters",
                                layers_[owner->index()].params_bytes));
  }
}

OpId GraphWriter::write_backward_op(std::size_t i) {
  const Layer& layer = layers_[i];
  const std::optional<TensorId> gradient = output_gradient(i);
  Op op = op_of_layer(LayerId(i), layer.name + "_backward", layer.type + "_backward");
  op.backward = true;
  Work work;
  if (weights_of(LayerId(i))) work += layer.parameter_gradient;
  for (const LayerId input : inputs_with_gradient(layer)) {
    if (op.outputs.empty()) work += layer.input_gradient;
    if (op.outputs.empty() || !layer.one_gradient) op.outputs.push_back(shape_of(input));
  }
  op.flops = work.flops;
  op.bytes = work.bytes;
  const OpId id = append(std::move(op));
  if (gradient) consume(id, *gradient);
  for (const LayerId stashed : layer.stash) consume(id, outputs_[stashed.index()]);
  if (layer.saved_bytes > 0) consume(id, saved_[i]);
  return id;
}

std::vector<LayerId> GraphWriter::inputs_with_gradient(const Layer& layer) const {
  std::vector<LayerId> found;
  std::ranges::copy_if(layer.inputs, std::back_inserter(found),
                       [&](LayerId input) { return needs_gradient_[input.index()] != 0; });
  return found;
}

std::optional<TensorId> GraphWriter::output_gradient(std::size_t i) {
  const std::vector<TensorId>& terms = gradients_[i];
  if (terms.empty()) return std::nullopt;  // the loss
  if (terms.size() == 1) return terms.front();
  return sum(i, layers_[i].name + "_gradient_sum", terms, shape_of(LayerId(i)),
             output_bytes(layers_[i]));
}

TensorId GraphWriter::sum(std::size_t i, const std::string& name,
                          const std::vector<TensorId>& terms, OutputShape shape,
                          std::int64_t bytes) {
  const auto count = static_cast<double>(terms.size());
  const auto size = static_cast<double>(bytes);
  Op op;
  op.name = name;
  op.type = "add_n";
  if (colocation_ == Colocation::kLayer) op.group = op_of_layer(LayerId(i), "", "").group;
  op.backward = true;
  op.flops = (count - 1) * size / kFloatBytes;
  op.bytes = (count + 1) * size;
  op.outputs = {std::move(shape)};
  const OpId id = append(std::move(op));
  for (const TensorId term : terms) consume(id, term);
  return produce(id, name + ":output", bytes);
}

void GraphWriter::give_input_gradients(std::size_t i, OpId backward) {
  const Layer& layer = layers_[i];
  std::optional<TensorId> gradient;
  for (const LayerId input : inputs_with_gradient(layer)) {
    if (!gradient || !layer.one_gradient) {
      gradient = produce(backward, layer.name + "_backward:" + layers_[input.index()].name,
                         output_bytes(layers_[input.index()]));
    }
    gradients_[input.index()].push_back(*gradient);
  }
}

void GraphWriter::write_updates(const UpdateRule& rule) {
  for (const std::size_t i : updates_) {
    const Layer& layer = layers_[i];
    const std::vector<TensorId>& terms = weight_gradients_[i];
    const TensorId gradient =
        terms.size() == 1
            ? terms.front()
            : sum(i, layer.name + "_weight_gradient_sum", terms,
                  {{layer.params_bytes / kFloatBytes}, "float32"}, layer.params_bytes);
    Op op = op_of_layer(LayerId(i), layer.name + "_update", std::string(rule.op_type));
    op.backward = true;
    op.params_bytes = rule.state_bytes * layer.params_bytes;
    op.flops = rule.flops_per_weight * static_cast<double>(layer.params_bytes) / kFloatBytes;
    op.bytes = rule.traffic * static_cast<double>(layer.params_bytes);
    consume(append(std::move(op)), gradient);
  }
}

}  // namespace

GeneratedGraph step_graph(const std::string& name, const LayerBuilder& net,
                          const StepOptions& options) {
  GraphWriter writer(net.layers(),
                     options.colocate == "layer" ? Colocation::kLayer : Colocation::kWeight);
  writer.write_forward();
  if (!options.inference) {
    writer.write_backward();
    writer.write_updates(*find_update_rule(options.training));
  }
  return {std::move(writer).build(net.name().empty() ? name : net.name()), {}, {}};
}

}  // namespace placer
