#include <cassert>

#include "model/zoo/layers.hpp"

namespace placer {
namespace {

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

}  // namespace

LayerId LayerBuilder::input(std::int64_t channels, std::int64_t height, std::int64_t width) {
  Layer layer = layer_of("input", "input", "input");
  layer.shape = {options_.batch, channels, height, width};
  layer.forward.bytes = traffic(layer);
  return append(std::move(layer));
}

LayerId LayerBuilder::conv(const std::string& name, const std::string& scope, LayerId from,
                           std::int64_t channels, Window window, std::int64_t groups) {
  Layer layer = layer_of(name, "conv2d", scope, {from});
  layer.shape = slid_shape(at(from), channels, window);
  const std::int64_t filter = at(from).shape[1] / groups * window.height * window.width;
  layer.params_bytes = weight_bytes(filter * channels);
  set_product_work(layer, at(from),
                   convolution_flops(count(layer), static_cast<double>(at(from).shape[1]),
                                     static_cast<double>(groups),
                                     static_cast<double>(window.height * window.width)),
                   layer.params_bytes);
  return append(std::move(layer));
}

LayerId LayerBuilder::batch_norm(const std::string& name, const std::string& scope, LayerId from) {
  Layer layer = layer_of(name, "batch_norm", scope, {from});
  layer.shape = at(from).shape;
  layer.params_bytes = weight_bytes(2 * layer.shape[1]);
  layer.forward = {kBatchNormFlops * count(layer),
                   2 * traffic(layer) + static_cast<double>(layer.params_bytes)};
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

LayerId LayerBuilder::conv_bias_relu(const std::string& scope, LayerId from, std::int64_t channels,
                                     Window window) {
  const LayerId product = conv(scope + "/conv", scope, from, channels, window);
  return relu(scope + "/relu", scope, bias(scope + "/bias", scope, product, channels));
}

LayerId LayerBuilder::max_pool(const std::string& name, LayerId from, Window window) {
  Layer layer = layer_of(name, "max_pool", name, {from});
  layer.shape = slid_shape(at(from), at(from).shape[1], window);
  if (saves_pool_indices_ && options_.training) layer.saved_bytes = 8 * elements(layer.shape);
  layer.forward = {pool_flops(count(layer), static_cast<double>(window.height * window.width)),
                   traffic(at(from)) + traffic(layer)};
  return append(std::move(layer));
}

LayerId LayerBuilder::avg_pool(const std::string& name, LayerId from, Window window) {
  Layer layer = layer_of(name, "avg_pool", name, {from});
  layer.shape = slid_shape(at(from), at(from).shape[1], window);
  layer.forward = {pool_flops(count(layer), static_cast<double>(window.height * window.width)),
                   traffic(at(from)) + traffic(layer)};
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
  return append(std::move(layer));
}

LayerId LayerBuilder::fully_connected(const std::string& scope, LayerId from,
                                      std::int64_t features) {
  Layer layer = layer_of(scope + "/matmul", "matmul", scope, {from});
  layer.shape = {options_.batch, features};
  const std::int64_t width = elements(at(from).shape) / options_.batch;
  layer.params_bytes = weight_bytes(width * features);
  set_product_work(layer, at(from), product_flops(count(layer), static_cast<double>(width)),
                   layer.params_bytes);
  return bias(scope + "/bias", scope, append(std::move(layer)), features);
}

}  // namespace placer
