#include "model/zoo/layers.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <numeric>

#include "model/zoo/gradient_work.hpp"

namespace placer {

std::int64_t elements(std::span<const std::int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}
double count(const Layer& layer) { return static_cast<double>(elements(layer.shape)); }
double traffic(const Layer& layer) { return static_cast<double>(output_bytes(layer)); }

void set_product_work(Layer& layer, const Layer& from, double flops, std::int64_t weight_bytes) {
  layer.forward = {flops, traffic(from) + traffic(layer) + static_cast<double>(weight_bytes)};
}

std::int64_t dtype_bytes(std::string_view dtype) {
  for (const std::string_view byte : {"int8", "uint8", "bool"}) {
    if (dtype == byte) return 1;
  }
  if (dtype.ends_with("64")) return 8;
  return dtype.ends_with("16") ? 2 : 4;
}

std::int64_t output_bytes(const Layer& layer) {
  return elements(layer.shape) * dtype_bytes(layer.dtype);
}

Layer LayerBuilder::layer_of(std::string name, std::string type, std::string scope,
                             std::vector<LayerId> inputs) const {
  Layer layer;
  layer.name = std::move(name);
  layer.type = std::move(type);
  layer.unit = block_.empty() ? scope : block_;
  layer.scope = std::move(scope);
  layer.dtype = options_.dtype;
  layer.inputs = std::move(inputs);
  switch (stash_of(layer.type)) {
    case Stash::kNothing:
      break;
    case Stash::kInput:
      layer.stash = {layer.inputs.front()};
      break;
    case Stash::kInputs:
      layer.stash = layer.inputs;
      break;
    case Stash::kOutput:
      layer.stash = {self()};
      break;
  }
  return layer;
}

LayerId LayerBuilder::append(Layer layer) {
  std::vector<const Layer*> inputs;
  for (const LayerId input : layer.inputs) inputs.push_back(&at(input));
  const std::int64_t weights =
      layer.weights_of ? at(*layer.weights_of).params_bytes : layer.params_bytes;
  set_gradient_work(layer, inputs, static_cast<double>(weights));
  layers_.push_back(std::move(layer));
  return LayerId(layers_.size() - 1);
}

LayerId LayerBuilder::elementwise(Layer layer, double flops) {
  layer.shape = at(layer.inputs.front()).shape;
  layer.forward = {flops * count(layer), 2 * traffic(layer)};
  return append(std::move(layer));
}

LayerId LayerBuilder::view(const std::string& name, const std::string& scope, LayerId from,
                           std::vector<std::int64_t> shape) {
  assert(elements(shape) == elements(at(from).shape));
  if (!options_.fine) {
    layers_[from.index()].shape = std::move(shape);
    return from;
  }
  Layer layer = layer_of(name, "reshape", scope, {from});
  layer.shape = std::move(shape);
  return append(std::move(layer));
}

LayerId LayerBuilder::relu(const std::string& name, const std::string& scope, LayerId from) {
  return elementwise(layer_of(name, "relu", scope, {from}), 1);
}

LayerId LayerBuilder::add(const std::string& name, const std::string& scope, LayerId a, LayerId b) {
  assert(at(a).shape == at(b).shape);
  Layer layer = layer_of(name, "add", scope, {a, b});
  layer.shape = at(a).shape;
  layer.forward = {count(layer), 3 * traffic(layer)};
  return append(std::move(layer));
}

LayerId LayerBuilder::dropout(const std::string& name, const std::string& scope, LayerId from) {
  if (!options_.training) return from;
  Layer layer = layer_of(name, "dropout", scope, {from});
  layer.shape = at(from).shape;
  layer.saved_bytes = elements(layer.shape);  // the mask
  layer.forward = {kDropoutFlops * count(layer),
                   2 * traffic(layer) + static_cast<double>(layer.saved_bytes)};
  return append(std::move(layer));
}

LayerId LayerBuilder::bias(const std::string& name, const std::string& scope, LayerId from,
                           std::int64_t weights) {
  Layer layer = layer_of(name, "bias_add", scope, {from});
  layer.shape = at(from).shape;
  layer.params_bytes = weight_bytes(weights);
  const auto params = static_cast<double>(layer.params_bytes);
  layer.forward = {count(layer), 2 * traffic(layer) + params};
  return append(std::move(layer));
}

void LayerBuilder::loss(const std::string& scope, LayerId logits) {
  if (options_.training) append_loss(layers_, scope, block_.empty() ? scope : block_, {logits});
}

void append_loss(std::vector<Layer>& layers, const std::string& scope, const std::string& unit,
                 const std::vector<LayerId>& outputs) {
  Layer labels, loss;
  std::int64_t rows = 0;
  std::vector<const Layer*> inputs;
  for (const LayerId output : outputs) {
    const Layer& logits = layers[output.index()];
    inputs.push_back(&logits);
    rows += logits.shape.empty()
                ? 1
                : elements(logits.shape) / std::max<std::int64_t>(1, logits.shape.back());
    loss.saved_bytes += output_bytes(logits);  // the probabilities
    loss.forward += {kSoftmaxFlops * count(logits), 2 * traffic(logits)};
  }
  labels.name = scope + "/labels";
  labels.type = "input";
  labels.dtype = "int32";  // as wide as a float
  labels.shape = {rows};
  if (outputs.size() == 1 && !inputs.front()->shape.empty()) {
    labels.shape = inputs.front()->shape;
    labels.shape.pop_back();
  }
  labels.forward.bytes = traffic(labels);
  loss.name = scope + "/softmax_cross_entropy";
  loss.type = "softmax_cross_entropy";
  loss.dtype = inputs.front()->dtype;
  loss.shape = {1};
  loss.inputs = outputs;
  loss.inputs.emplace_back(layers.size());
  loss.stash = {loss.inputs.back()};
  loss.forward.bytes += traffic(labels);
  labels.scope = loss.scope = scope;
  labels.unit = loss.unit = unit;
  inputs.push_back(&labels);
  set_gradient_work(loss, inputs, 0);
  layers.push_back(std::move(labels));
  layers.push_back(std::move(loss));
}

}  // namespace placer
