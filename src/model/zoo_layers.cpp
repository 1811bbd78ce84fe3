#include "model/zoo_layers.hpp"

#include <cassert>
#include <functional>
#include <numeric>
#include <span>
#include <utility>

namespace placer {
namespace {

std::int64_t elements(std::span<const std::int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}
double count(const Layer& layer) { return static_cast<double>(elements(layer.shape)); }
double traffic(const Layer& layer) { return static_cast<double>(output_bytes(layer)); }

Layer layer_of(std::string name, std::string type, std::string group,
               std::vector<LayerId> inputs = {}) {
  Layer layer;
  layer.name = std::move(name);
  layer.type = std::move(type);
  layer.group = std::move(group);
  layer.inputs = std::move(inputs);
  return layer;
}

std::int64_t slid(std::int64_t size, std::int64_t window, std::int64_t stride, std::int64_t pad) {
  assert(size + 2 * pad >= window);
  return (size + 2 * pad - window) / stride + 1;
}

std::vector<std::int64_t> slid_shape(const Layer& from, std::int64_t channels,
                                     const Window& window) {
  return {from.shape[0], channels,
          slid(from.shape[2], window.height, window.stride, window.pad_height),
          slid(from.shape[3], window.width, window.stride, window.pad_width)};
}

/// A convolution or matrix product: each of the two gradients costs as much as the forward op.
void set_product_work(Layer& layer, const Layer& from, std::int64_t multiply_adds_per_output) {
  layer.forward.flops = 2 * count(layer) * static_cast<double>(multiply_adds_per_output);
  layer.forward.bytes = traffic(from) + traffic(layer) + static_cast<double>(layer.params_bytes);
  layer.parameter_gradient = layer.forward;
  layer.input_gradient = layer.forward;
}

}  // namespace

std::int64_t output_bytes(const Layer& layer) { return elements(layer.shape) * kFloatBytes; }

LayerId LayerBuilder::append(Layer layer) {
  layers_.push_back(std::move(layer));
  return LayerId(layers_.size() - 1);
}

LayerId LayerBuilder::input(std::int64_t channels, std::int64_t height, std::int64_t width) {
  Layer layer = layer_of("input", "input", "input");
  layer.shape = {batch_, channels, height, width};
  layer.forward.bytes = traffic(layer);
  return append(std::move(layer));
}

LayerId LayerBuilder::conv(const std::string& name, const std::string& group, LayerId from,
                           std::int64_t channels, Window window) {
  Layer layer = layer_of(name, "conv2d", group, {from});
  layer.stash = {from};
  layer.shape = slid_shape(at(from), channels, window);
  const std::int64_t filter = at(from).shape[1] * window.height * window.width;
  layer.params_bytes = filter * channels * kFloatBytes;
  set_product_work(layer, at(from), filter);
  return append(std::move(layer));
}

LayerId LayerBuilder::batch_norm(const std::string& name, const std::string& group, LayerId from) {
  Layer layer = layer_of(name, "batch_norm", group, {from});
  layer.stash = {from};
  layer.shape = at(from).shape;
  layer.params_bytes = 2 * layer.shape[1] * kFloatBytes;
  layer.forward = {2 * count(layer), 2 * traffic(layer) + static_cast<double>(layer.params_bytes)};
  // Scale's and shift's: a pass over input and gradient. The input's: one more write.
  layer.parameter_gradient = {2 * count(layer),
                              2 * traffic(layer) + 2 * static_cast<double>(layer.params_bytes)};
  layer.input_gradient = {2 * count(layer), traffic(layer)};
  return append(std::move(layer));
}

LayerId LayerBuilder::conv_bn(const std::string& scope, LayerId from, std::int64_t channels,
                              Window window) {
  return batch_norm(scope + "/bn", scope, conv(scope + "/conv", scope, from, channels, window));
}

LayerId LayerBuilder::conv_bn_relu(const std::string& scope, LayerId from, std::int64_t channels,
                                   Window window) {
  return relu(scope + "/relu", scope, conv_bn(scope, from, channels, window));
}

LayerId LayerBuilder::relu(const std::string& name, const std::string& group, LayerId from) {
  Layer layer = layer_of(name, "relu", group, {from});
  layer.stash = {self()};
  layer.shape = at(from).shape;
  layer.forward = {count(layer), 2 * traffic(layer)};
  layer.input_gradient = {count(layer), 3 * traffic(layer)};
  return append(std::move(layer));
}

LayerId LayerBuilder::max_pool(const std::string& name, LayerId from, Window window) {
  Layer layer = layer_of(name, "max_pool", name, {from});
  layer.stash = {from};
  layer.shape = slid_shape(at(from), at(from).shape[1], window);
  layer.forward = {count(layer) * static_cast<double>(window.height * window.width),
                   traffic(at(from)) + traffic(layer)};
  layer.input_gradient = {layer.forward.flops, 2 * traffic(at(from)) + traffic(layer)};
  return append(std::move(layer));
}

LayerId LayerBuilder::avg_pool(const std::string& name, LayerId from, Window window) {
  Layer layer = layer_of(name, "avg_pool", name, {from});
  layer.shape = slid_shape(at(from), at(from).shape[1], window);
  layer.forward = {count(layer) * static_cast<double>(window.height * window.width),
                   traffic(at(from)) + traffic(layer)};
  layer.input_gradient = layer.forward;
  return append(std::move(layer));
}

LayerId LayerBuilder::global_avg_pool(const std::string& name, LayerId from) {
  return avg_pool(name, from, {at(from).shape[2], at(from).shape[3]});
}

LayerId LayerBuilder::concat(const std::string& name, const std::vector<LayerId>& from) {
  Layer layer = layer_of(name, "concat", name, from);
  layer.shape = at(from.front()).shape;
  layer.shape[1] = 0;
  for (const LayerId part : from) layer.shape[1] += at(part).shape[1];
  layer.forward.bytes = 2 * traffic(layer);
  layer.input_gradient = layer.forward;
  return append(std::move(layer));
}

LayerId LayerBuilder::add(const std::string& name, LayerId a, LayerId b) {
  assert(at(a).shape == at(b).shape);
  Layer layer = layer_of(name, "add", name, {a, b});
  layer.one_gradient = true;
  layer.shape = at(a).shape;
  layer.forward = {count(layer), 3 * traffic(layer)};
  return append(std::move(layer));
}

LayerId LayerBuilder::dropout(const std::string& name, LayerId from) {
  if (!training_) return from;
  Layer layer = layer_of(name, "dropout", name, {from});
  layer.shape = at(from).shape;
  layer.saved_bytes = elements(layer.shape);  // the mask
  layer.forward = {2 * count(layer), 2 * traffic(layer) + static_cast<double>(layer.saved_bytes)};
  layer.input_gradient = {count(layer), layer.forward.bytes};
  return append(std::move(layer));
}

LayerId LayerBuilder::bias(const std::string& name, const std::string& group, LayerId from) {
  Layer layer = layer_of(name, "bias_add", group, {from});
  layer.shape = at(from).shape;
  layer.one_gradient = true;
  layer.params_bytes = layer.shape[1] * kFloatBytes;
  const auto params = static_cast<double>(layer.params_bytes);
  layer.forward = {count(layer), 2 * traffic(layer) + params};
  layer.parameter_gradient = {count(layer), traffic(layer) + params};
  return append(std::move(layer));
}

LayerId LayerBuilder::fully_connected(const std::string& scope, LayerId from,
                                      std::int64_t features) {
  Layer layer = layer_of(scope + "/matmul", "matmul", scope, {from});
  layer.stash = {from};
  layer.shape = {batch_, features};
  const std::int64_t width = elements(at(from).shape) / batch_;
  layer.params_bytes = width * features * kFloatBytes;
  set_product_work(layer, at(from), width);
  return bias(scope + "/bias", scope, append(std::move(layer)));
}

void LayerBuilder::loss(const std::string& scope, LayerId logits) {
  if (!training_) return;
  Layer labels = layer_of(scope + "/labels", "input", scope);
  labels.shape = {batch_};
  labels.dtype = "int32";  // as wide as a float
  labels.forward.bytes = traffic(labels);
  const LayerId label = append(std::move(labels));
  Layer layer =
      layer_of(scope + "/softmax_cross_entropy", "softmax_cross_entropy", scope, {logits, label});
  layer.stash = {label};
  layer.shape = {1};
  layer.saved_bytes = output_bytes(at(logits));  // the probabilities
  layer.forward = {5 * count(at(logits)), 2 * traffic(at(logits)) + traffic(at(label))};
  layer.input_gradient = {count(at(logits)), layer.forward.bytes};
  append(std::move(layer));
}

}  // namespace placer
