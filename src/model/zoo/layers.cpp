#include "model/zoo/layers.hpp"

#include <cassert>
#include <functional>
#include <numeric>

namespace placer {

std::int64_t elements(std::span<const std::int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}
double count(const Layer& layer) { return static_cast<double>(elements(layer.shape)); }
double traffic(const Layer& layer) { return static_cast<double>(output_bytes(layer)); }

void set_product_work(Layer& layer, const Layer& from, double flops, std::int64_t weight_bytes) {
  layer.forward = {flops, traffic(from) + traffic(layer) + static_cast<double>(weight_bytes)};
  layer.parameter_gradient = layer.forward;
  layer.input_gradient = layer.forward;
}

std::int64_t dtype_bytes(std::string_view dtype) {
  if (dtype == "int8") return 1;
  if (dtype == "float16") return 2;
  assert(dtype == "float32" || dtype == "int32");
  return 4;
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
  layers_.push_back(std::move(layer));
  return LayerId(layers_.size() - 1);
}

LayerId LayerBuilder::elementwise(Layer layer, double flops) {
  layer.shape = at(layer.inputs.front()).shape;
  layer.forward = {flops * count(layer), 2 * traffic(layer)};
  layer.input_gradient = {flops * count(layer), 3 * traffic(layer)};
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
  layer.one_gradient = true;
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
  layer.input_gradient = {count(layer), layer.forward.bytes};
  return append(std::move(layer));
}

LayerId LayerBuilder::bias(const std::string& name, const std::string& scope, LayerId from,
                           std::int64_t weights) {
  Layer layer = layer_of(name, "bias_add", scope, {from});
  layer.shape = at(from).shape;
  layer.one_gradient = true;
  layer.params_bytes = weight_bytes(weights);
  const auto params = static_cast<double>(layer.params_bytes);
  layer.forward = {count(layer), 2 * traffic(layer) + params};
  layer.parameter_gradient = {count(layer), traffic(layer) + params};
  return append(std::move(layer));
}

void LayerBuilder::loss(const std::string& scope, LayerId logits) {
  if (!options_.training) return;
  Layer labels = layer_of(scope + "/labels", "input", scope);
  labels.shape = at(logits).shape;
  labels.shape.pop_back();
  labels.dtype = "int32";  // as wide as a float
  labels.forward.bytes = traffic(labels);
  const LayerId label = append(std::move(labels));
  Layer layer =
      layer_of(scope + "/softmax_cross_entropy", "softmax_cross_entropy", scope, {logits, label});
  layer.stash = {label};
  layer.shape = {1};
  layer.saved_bytes = output_bytes(at(logits));  // the probabilities
  layer.forward = {kSoftmaxFlops * count(at(logits)), 2 * traffic(at(logits)) + traffic(at(label))};
  layer.input_gradient = {count(at(logits)), layer.forward.bytes};
  append(std::move(layer));
}

}  // namespace placer
