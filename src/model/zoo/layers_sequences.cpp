#include <cassert>

#include "model/zoo/layers.hpp"

namespace placer {

LayerId LayerBuilder::ids(const std::string& name, std::vector<std::int64_t> shape) {
  Layer layer = layer_of(name, "input", name);
  layer.shape = std::move(shape);
  layer.dtype = "int32";  // as wide as a float
  layer.forward.bytes = traffic(layer);
  return append(std::move(layer));
}

LayerId LayerBuilder::embedding(const std::string& scope, LayerId ids, std::int64_t rows,
                                std::int64_t width) {
  Layer layer = layer_of(scope + "/gather", "gather", scope, {ids});
  layer.shape = at(ids).shape;
  layer.shape.push_back(width);
  layer.params_bytes = rows * width * kFloatBytes;
  layer.forward.bytes = gather_bytes(traffic(layer), traffic(at(ids)));
  layer.parameter_gradient = {count(layer),
                              layer.forward.bytes + static_cast<double>(layer.params_bytes)};
  return append(std::move(layer));
}

LayerId LayerBuilder::linear(const std::string& scope, LayerId from, std::int64_t features,
                             bool with_bias) {
  Layer layer = layer_of(scope + "/matmul", "matmul", scope, {from});
  layer.shape = at(from).shape;
  const std::int64_t width = layer.shape.back();
  layer.shape.back() = features;
  layer.params_bytes = width * features * kFloatBytes;
  set_product_work(layer, at(from), product_flops(count(layer), static_cast<double>(width)),
                   layer.params_bytes);
  const LayerId product = append(std::move(layer));
  return with_bias ? bias(scope + "/bias", scope, product, features) : product;
}

LayerId LayerBuilder::add_positions(const std::string& name, LayerId from, std::int64_t positions) {
  return bias(name, name, from, positions * at(from).shape.back());
}

LayerId LayerBuilder::tied_linear(const std::string& scope, LayerId from, LayerId embedding) {
  Layer layer = layer_of(scope + "/matmul", "matmul", scope, {from});
  layer.weights_of = embedding;
  const std::int64_t table = at(embedding).params_bytes;
  const std::int64_t width = at(from).shape.back();
  layer.shape = at(from).shape;
  layer.shape.back() = table / kFloatBytes / width;
  set_product_work(layer, at(from), product_flops(count(layer), static_cast<double>(width)), table);
  return append(std::move(layer));
}

LayerId LayerBuilder::batch_matmul(const std::string& name, const std::string& scope, LayerId a,
                                   LayerId b, std::vector<std::int64_t> shape, std::int64_t inner) {
  Layer layer = layer_of(name, "batch_matmul", scope, {a, b});
  layer.shape = std::move(shape);
  const double flops = product_flops(count(layer), static_cast<double>(inner));
  layer.forward = {flops, traffic(at(a)) + traffic(at(b)) + traffic(layer)};
  layer.input_gradient = {2 * flops, 2 * layer.forward.bytes};
  return append(std::move(layer));
}

LayerId LayerBuilder::layer_norm(const std::string& scope, LayerId from) {
  Layer layer = layer_of(scope + "/layer_norm", "layer_norm", scope, {from});
  layer.shape = at(from).shape;
  layer.params_bytes = 2 * layer.shape.back() * kFloatBytes;
  const auto params = static_cast<double>(layer.params_bytes);
  layer.forward = {kLayerNormFlops * count(layer), 2 * traffic(layer) + params};
  layer.parameter_gradient = {kLayerNormFlops * count(layer), 2 * traffic(layer) + 2 * params};
  layer.input_gradient = {kLayerNormFlops * count(layer), traffic(layer)};
  return append(std::move(layer));
}

LayerId LayerBuilder::softmax(const std::string& name, const std::string& scope, LayerId from) {
  return elementwise(layer_of(name, "softmax", scope, {from}), kSoftmaxFlops);
}

LayerId LayerBuilder::gelu(const std::string& name, const std::string& scope, LayerId from) {
  return elementwise(layer_of(name, "gelu", scope, {from}), kGeluFlops);
}

}  // namespace placer
