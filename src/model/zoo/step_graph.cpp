#include <optional>
#include <utility>

#include "model/zoo/gradients.hpp"
#include "model/zoo/network.hpp"
#include "model/zoo/step_parts.hpp"

namespace placer {
namespace {

class GraphWriter {
 public:
  GraphWriter(const std::vector<Layer>& layers, const StepOptions& options)
      : layers_(layers),
        groups_layers_(options.colocate == Colocation::kLayer),
        is_fine_(options.ops == Detail::kFine),
        gradients_(layers.size()),
        weight_gradients_(layers.size()),
        parts_(layers.size()) {}

  void write_forward();
  void write_backward();
  void write_updates(const UpdateRule& rule);
  StepParts take() && { return std::move(step_); }

 private:
  const Layer& at(LayerId layer) const { return layers_[layer.index()]; }
  OutputShape shape_of(LayerId layer) const { return {at(layer).shape, at(layer).dtype}; }
  std::string group_of(LayerId layer) const;
  Unit unit_of(LayerId layer, Phase phase) const;
  OpId append(LayerId layer, Phase phase, Op op);
  Op forward_op(LayerId layer) const;
  void write_weights(LayerId layer);
  void write_output(LayerId layer, OpId op);
  TensorId sum(LayerId layer, Phase phase, const std::string& name,
               const std::vector<TensorId>& terms, OutputShape shape, std::int64_t bytes);

  void write_backward_op(LayerId layer, const Gradients& gradients,
                         const std::vector<TensorId>& from);
  /// The gradient of the output, or of each part of it that reaches the loss.
  std::vector<TensorId> gradients_of_outputs(LayerId layer);
  /// The sum where several readers give one; nothing for the loss.
  std::optional<TensorId> output_gradient(LayerId layer);
  void give_gradients(LayerId layer, const Gradients& gradients, OpId backward);

  const std::vector<Layer>& layers_;
  bool groups_layers_, is_fine_;
  StepParts step_;
  std::vector<OpId> forward_;                     // by layer
  std::vector<TensorId> outputs_;                 // by layer
  std::vector<TensorId> saved_;                   // by layer, where it has saved bytes
  std::vector<std::optional<TensorId>> weights_;  // by layer, where they are an op of their own
  std::vector<std::vector<TensorId>> gradients_;  // by layer: of its output, from each reader
  std::vector<std::vector<TensorId>> weight_gradients_;  // by layer with parameters
  std::vector<LayerId> updates_;                         // in the order of their first gradient
  std::vector<std::vector<LayerId>> parts_;              // by layer
};

std::string GraphWriter::group_of(LayerId layer) const {
  const std::optional<LayerId> owner = weights_of(layers_, layer);
  if (groups_layers_) return at(owner.value_or(layer)).scope;
  return owner ? at(*owner).name : "";
}

Unit GraphWriter::unit_of(LayerId layer, Phase phase) const {
  return {at(layer).unit, phase, at(weights_of(layers_, layer).value_or(layer)).unit};
}

OpId GraphWriter::append(LayerId layer, Phase phase, Op op) {
  op.backward = phase != Phase::kForward;
  return step_.append(std::move(op), unit_of(layer, phase));
}

void GraphWriter::write_weights(LayerId layer) {
  weights_.emplace_back();
  if (!is_fine_ || at(layer).given != nullptr || at(layer).params_bytes == 0) return;
  Op op;
  op.name = at(layer).name + "/weights";
  op.type = "variable";
  op.group = group_of(layer);
  op.flops = 0;
  op.bytes = 0;
  op.params_bytes = at(layer).params_bytes;
  const OpId id = append(layer, Phase::kForward, std::move(op));
  weights_.back() = step_.produce(id, at(layer).name + "/weights:here", 0);
}

void GraphWriter::write_output(LayerId layer, OpId op) {
  if (at(layer).has_parts) {
    outputs_.emplace_back();
  } else if (const Tensor* given = at(layer).given_output) {
    outputs_.push_back(step_.produce(op, given->name, given->bytes));
    step_.tensors.back().keep = given->keep;
    step_.tensors.back().transfer_seconds = given->transfer_seconds;
  } else {
    outputs_.push_back(
        step_.produce(op, at(layer).part_of ? at(layer).name : at(layer).name + ":output",
                      output_bytes(at(layer))));
    step_.tensors.back().keep = at(layer).keep;
  }
  saved_.push_back(at(layer).saved_bytes > 0
                       ? step_.produce(op, at(layer).name + ":saved", at(layer).saved_bytes)
                       : TensorId());
}

Op GraphWriter::forward_op(LayerId id) const {
  const Layer& layer = at(id);
  Op op;
  if (layer.given != nullptr) {
    op = *layer.given;
  } else {
    op.name = layer.name;
    op.type = layer.type;
    op.flops = layer.forward.flops;
    op.bytes = layer.forward.bytes;
    if (!is_fine_) op.params_bytes = layer.params_bytes;
    if (!layer.has_parts) op.outputs = {shape_of(id)};
  }
  op.group = group_of(id);
  return op;
}

void GraphWriter::write_forward() {
  for (const LayerId id : IdRange<LayerId>(layers_.size())) {
    const Layer& layer = at(id);
    write_weights(id);
    if (layer.part_of) {
      parts_[layer.part_of->index()].push_back(id);
      forward_.push_back(forward_[layer.part_of->index()]);
      if (layer.given_output == nullptr) {
        step_.ops[forward_.back().index()].outputs.push_back(shape_of(id));
      }
      write_output(id, forward_.back());
      continue;
    }
    forward_.push_back(append(id, Phase::kForward, forward_op(id)));
    for (const LayerId input : layer.inputs)
      step_.consume(forward_.back(), outputs_[input.index()]);
    for (const LayerId input : layer.controls)
      step_.consume(forward_.back(), outputs_[input.index()]);
    if (const auto owner = weights_of(layers_, id); owner && weights_[owner->index()]) {
      step_.consume(forward_.back(), *weights_[owner->index()]);
    }
    write_output(id, forward_.back());
  }
}

void GraphWriter::write_backward() {
  const GradientPath path(layers_);
  for (std::size_t i = layers_.size(); i-- > 0;) {
    if (!path.needs[i] || !path.reaches[i] || layers_[i].part_of) continue;
    const LayerId layer(i);
    const std::vector<TensorId> from = gradients_of_outputs(layer);
    for (const Gradients& gradients : gradients_of(layers_, layer, path, is_fine_)) {
      write_backward_op(layer, gradients, from);
    }
  }
}

void GraphWriter::write_backward_op(LayerId id, const Gradients& gradients,
                                    const std::vector<TensorId>& from) {
  const Layer& layer = at(id);
  Op op;
  op.name = layer.name + gradients.suffix;
  op.type = layer.type + "_backward";
  op.group = group_of(id);
  set_backward_costs(op, layer, gradients);
  for (const LayerId input : gradients.inputs) {
    if (op.outputs.empty() || !layer.one_gradient) op.outputs.push_back(shape_of(input));
  }
  const OpId backward = append(id, Phase::kBackward, std::move(op));
  for (const TensorId gradient : from) step_.consume(backward, gradient);
  for (const LayerId stashed : gradients.stash) {
    step_.consume(backward, outputs_[stashed.index()]);
  }
  if (layer.saved_bytes > 0) step_.consume(backward, saved_[id.index()]);
  if (const auto owner = weights_of(layers_, id); owner && weights_[owner->index()]) {
    if (!gradients.inputs.empty()) step_.consume(backward, *weights_[owner->index()]);
  }
  give_gradients(id, gradients, backward);
}

std::vector<TensorId> GraphWriter::gradients_of_outputs(LayerId layer) {
  std::vector<TensorId> found;
  const std::vector<LayerId> itself = {layer};
  for (const LayerId output : at(layer).has_parts ? parts_[layer.index()] : itself) {
    if (const auto gradient = output_gradient(output)) found.push_back(*gradient);
  }
  return found;
}

std::optional<TensorId> GraphWriter::output_gradient(LayerId layer) {
  const std::vector<TensorId>& terms = gradients_[layer.index()];
  if (terms.empty()) return std::nullopt;
  if (terms.size() == 1) return terms.front();
  return sum(layer, Phase::kBackward, at(layer).name + "_gradient_sum", terms, shape_of(layer),
             output_bytes(at(layer)));
}

TensorId GraphWriter::sum(LayerId layer, Phase phase, const std::string& name,
                          const std::vector<TensorId>& terms, OutputShape shape,
                          std::int64_t bytes) {
  const auto count = static_cast<double>(terms.size());
  const auto size = static_cast<double>(bytes);
  Op op;
  op.name = name;
  op.type = "add_n";
  if (groups_layers_) op.group = group_of(layer);
  op.flops = (count - 1) * size / static_cast<double>(dtype_bytes(shape.dtype));
  op.bytes = (count + 1) * size;
  op.outputs = {std::move(shape)};
  const OpId id = append(layer, phase, std::move(op));
  for (const TensorId term : terms) step_.consume(id, term);
  return step_.produce(id, name + ":output", bytes);
}

void GraphWriter::give_gradients(LayerId id, const Gradients& gradients, OpId backward) {
  const std::string& name = step_.ops[backward.index()].name;
  std::optional<TensorId> gradient;
  for (const LayerId input : gradients.inputs) {
    if (!gradient || !at(id).one_gradient) {
      gradient = step_.produce(backward, name + ":" + at(input).name, output_bytes(at(input)));
      if (const Tensor* given = at(input).given_output) {
        step_.tensors.back().transfer_seconds = given->transfer_seconds;
      }
    }
    gradients_[input.index()].push_back(*gradient);
  }
  if (!gradients.weights) return;
  const LayerId owner = *weights_of(layers_, id);
  std::vector<TensorId>& of_weights = weight_gradients_[owner.index()];
  if (of_weights.empty()) updates_.push_back(owner);
  of_weights.push_back(step_.produce(backward, name + ":parameters", at(owner).params_bytes));
}

void GraphWriter::write_updates(const UpdateRule& rule) {
  for (const LayerId id : updates_) {
    const Layer& layer = at(id);
    const std::int64_t bytes = layer.params_bytes;
    const std::int64_t weights = bytes / dtype_bytes(layer.dtype);
    const std::vector<TensorId>& terms = weight_gradients_[id.index()];
    const TensorId gradient = terms.size() == 1
                                  ? terms.front()
                                  : sum(id, Phase::kUpdate, layer.name + "_weight_gradient_sum",
                                        terms, {{weights}, layer.dtype}, bytes);
    Op op;
    op.name = layer.name + "_update";
    op.type = rule.op_type;
    op.group = group_of(id);
    op.params_bytes = rule.state_bytes * bytes;
    op.flops = rule.flops_per_weight * static_cast<double>(weights);
    op.bytes = rule.traffic * static_cast<double>(bytes);
    const OpId update = append(id, Phase::kUpdate, std::move(op));
    step_.consume(update, gradient);
    if (weights_[id.index()]) step_.consume(update, *weights_[id.index()]);
  }
}

}  // namespace

StepParts write_step(const std::vector<Layer>& layers, const StepOptions& options) {
  GraphWriter writer(layers, options);
  writer.write_forward();
  if (!options.inference) {
    writer.write_backward();
    writer.write_updates(*options.training);
  }
  return std::move(writer).take();
}

GeneratedGraph step_graph(const std::string& name, const LayerBuilder& net,
                          const StepOptions& options) {
  StepParts parts = write_step(net.layers(), options);
  if (options.ops == Detail::kLayer) parts = merge_units(std::move(parts));
  return {
      Graph(net.name().empty() ? name : net.name(), std::move(parts.ops), std::move(parts.tensors)),
      {},
      {}};
}

}  // namespace placer
