#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "model/zoo/network.hpp"
#include "model/zoo/step_parts.hpp"
#include "placer/model/op_types.hpp"

namespace placer {
namespace {

/// A backward op's share of its layer's gradients.
struct Gradients {
  std::string suffix = "_backward";
  std::vector<LayerId> inputs;  // whose gradients it gives
  bool weights = false;         // and that of the weights
  std::vector<LayerId> stash;   // whose outputs it reads
  Work work;
};

class GraphWriter {
 public:
  GraphWriter(const std::vector<Layer>& layers, const StepOptions& options)
      : layers_(layers),
        groups_layers_(options.colocate == "layer"),
        is_fine_(options.ops == "fine"),
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
  /// The layer whose parameters this one uses; itself where it has its own; else nothing.
  std::optional<LayerId> weights_of(LayerId layer) const;
  std::string group_of(LayerId layer) const;
  Unit unit_of(LayerId layer, Phase phase) const;
  OpId append(LayerId layer, Phase phase, Op op);
  void write_weights(LayerId layer);
  void write_output(LayerId layer, OpId op);
  TensorId sum(LayerId layer, Phase phase, const std::string& name,
               const std::vector<TensorId>& terms, OutputShape shape, std::int64_t bytes);

  void find_gradient_path();
  std::vector<Gradients> gradients_of(LayerId layer) const;
  std::vector<Gradients> single_gradients_of(LayerId layer) const;
  void write_backward_op(LayerId layer, const Gradients& gradients,
                         const std::vector<TensorId>& from);
  /// Of the output, or of each part of it that reaches the loss.
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
  std::vector<char> needs_gradient_;              // by layer: of its output
  std::vector<char> reaches_loss_;                // by layer
  std::vector<std::vector<TensorId>> gradients_;  // by layer: of its output, from each reader
  std::vector<std::vector<TensorId>> weight_gradients_;  // by layer with parameters
  std::vector<LayerId> updates_;                         // in the order of their first gradient
  std::vector<std::vector<LayerId>> parts_;              // by layer
};

std::optional<LayerId> GraphWriter::weights_of(LayerId layer) const {
  if (at(layer).weights_of) return at(layer).weights_of;
  return at(layer).params_bytes > 0 ? std::optional(layer) : std::nullopt;
}

std::string GraphWriter::group_of(LayerId layer) const {
  const std::optional<LayerId> owner = weights_of(layer);
  if (groups_layers_) return at(owner.value_or(layer)).scope;
  return owner ? at(*owner).name : "";
}

Unit GraphWriter::unit_of(LayerId layer, Phase phase) const {
  return {at(layer).unit, phase, at(weights_of(layer).value_or(layer)).unit};
}

OpId GraphWriter::append(LayerId layer, Phase phase, Op op) {
  op.backward = phase != Phase::kForward;
  return step_.append(std::move(op), unit_of(layer, phase));
}

void GraphWriter::write_weights(LayerId layer) {
  weights_.emplace_back();
  if (!is_fine_ || at(layer).params_bytes == 0) return;
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
  const bool has_own = !at(layer).has_parts;
  outputs_.push_back(
      has_own ? step_.produce(op, at(layer).part_of ? at(layer).name : at(layer).name + ":output",
                              output_bytes(at(layer)))
              : TensorId());
  if (has_own && at(layer).keep) step_.tensors.back().keep = true;
  saved_.push_back(at(layer).saved_bytes > 0
                       ? step_.produce(op, at(layer).name + ":saved", at(layer).saved_bytes)
                       : TensorId());
}

void GraphWriter::write_forward() {
  for (const LayerId id : IdRange<LayerId>(layers_.size())) {
    const Layer& layer = at(id);
    write_weights(id);
    if (layer.part_of) {
      parts_[layer.part_of->index()].push_back(id);
      forward_.push_back(forward_[layer.part_of->index()]);
      step_.ops[forward_.back().index()].outputs.push_back(shape_of(id));
      write_output(id, forward_.back());
      continue;
    }
    Op op;
    op.name = layer.name;
    op.type = layer.type;
    op.group = group_of(id);
    op.flops = layer.forward.flops;
    op.bytes = layer.forward.bytes;
    if (!is_fine_) op.params_bytes = layer.params_bytes;
    if (!layer.has_parts) op.outputs = {shape_of(id)};
    forward_.push_back(append(id, Phase::kForward, std::move(op)));
    for (const LayerId input : layer.inputs)
      step_.consume(forward_.back(), outputs_[input.index()]);
    if (const auto owner = weights_of(id); owner && weights_[owner->index()]) {
      step_.consume(forward_.back(), *weights_[owner->index()]);
    }
    write_output(id, forward_.back());
  }
}

void GraphWriter::find_gradient_path() {
  for (const LayerId id : IdRange<LayerId>(layers_.size())) {
    bool needed = weights_of(id).has_value();
    for (const LayerId input : at(id).inputs) needed |= needs_gradient_[input.index()] != 0;
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
    if (!needs_gradient_[i] || !reaches_loss_[i] || layers_[i].part_of) continue;
    const LayerId layer(i);
    const std::vector<TensorId> from = gradients_of_outputs(layer);
    for (const Gradients& gradients : gradients_of(layer)) {
      write_backward_op(layer, gradients, from);
    }
  }
}

std::vector<Gradients> GraphWriter::gradients_of(LayerId id) const {
  const Layer& layer = at(id);
  if (is_fine_ && counts_as_product(layer.type)) return single_gradients_of(id);
  Gradients all;
  std::ranges::copy_if(layer.inputs, std::back_inserter(all.inputs),
                       [&](LayerId input) { return needs_gradient_[input.index()] != 0; });
  all.weights = weights_of(id).has_value();
  all.stash = layer.stash;
  if (all.weights) all.work += layer.parameter_gradient;
  if (!all.inputs.empty()) all.work += layer.input_gradient;
  return {all};
}

std::vector<Gradients> GraphWriter::single_gradients_of(LayerId id) const {
  const Layer& layer = at(id);
  const auto count = static_cast<double>(layer.inputs.size());
  std::vector<Gradients> each;
  for (std::size_t k = 0; k < layer.inputs.size(); ++k) {
    if (needs_gradient_[layer.inputs[k].index()] == 0) continue;
    Gradients one;
    one.suffix = fmt::format("_input{}_backward", count > 1 ? std::to_string(k) : "");
    one.inputs = {layer.inputs[k]};
    one.work = {layer.input_gradient.flops / count, layer.input_gradient.bytes / count};
    std::ranges::copy_if(layer.inputs, std::back_inserter(one.stash),
                         [&](LayerId other) { return other != layer.inputs[k]; });
    each.push_back(std::move(one));
  }
  if (!weights_of(id)) return each;
  each.push_back({"_weight_backward", {}, true, layer.stash, layer.parameter_gradient});
  return each;
}

void GraphWriter::write_backward_op(LayerId id, const Gradients& gradients,
                                    const std::vector<TensorId>& from) {
  const Layer& layer = at(id);
  Op op;
  op.name = layer.name + gradients.suffix;
  op.type = layer.type + "_backward";
  op.group = group_of(id);
  op.flops = gradients.work.flops;
  op.bytes = gradients.work.bytes;
  for (const LayerId input : gradients.inputs) {
    if (op.outputs.empty() || !layer.one_gradient) op.outputs.push_back(shape_of(input));
  }
  const OpId backward = append(id, Phase::kBackward, std::move(op));
  for (const TensorId gradient : from) step_.consume(backward, gradient);
  for (const LayerId stashed : gradients.stash) {
    step_.consume(backward, outputs_[stashed.index()]);
  }
  if (layer.saved_bytes > 0) step_.consume(backward, saved_[id.index()]);
  if (const auto owner = weights_of(id); owner && weights_[owner->index()]) {
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
    }
    gradients_[input.index()].push_back(*gradient);
  }
  if (!gradients.weights) return;
  const LayerId owner = *weights_of(id);
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

GeneratedGraph step_graph(const std::string& name, const LayerBuilder& net,
                          const StepOptions& options) {
  GraphWriter writer(net.layers(), options);
  writer.write_forward();
  if (!options.inference) {
    writer.write_backward();
    writer.write_updates(*find_update_rule(options.training));
  }
  StepParts parts = std::move(writer).take();
  if (options.ops == "layer") parts = merge_units(std::move(parts));
  return {
      Graph(net.name().empty() ? name : net.name(), std::move(parts.ops), std::move(parts.tensors)),
      {},
      {}};
}

}  // namespace placer
