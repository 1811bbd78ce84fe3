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
  layer.params_bytes = weight_bytes(rows * width);
  layer.forward.bytes = gather_bytes(traffic(layer), traffic(at(ids)));
  return append(std::move(layer));
}

LayerId LayerBuilder::linear(const std::string& scope, LayerId from, std::int64_t features,
                             bool with_bias) {
  Layer layer = layer_of(scope + "/matmul", "matmul", scope, {from});
  layer.shape = at(from).shape;
  const std::int64_t width = layer.shape.back();
  layer.shape.back() = features;
  layer.params_bytes = weight_bytes(width * features);
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
  layer.shape.back() = table / weight_bytes(width);
  set_product_work(layer, at(from), product_flops(count(layer), static_cast<double>(width)), table);
  return append(std::move(layer));
}

LayerId LayerBuilder::batch_matmul(const std::string& name, const std::string& scope, LayerId a,
                                   LayerId b, std::vector<std::int64_t> shape, std::int64_t inner) {
  Layer layer = layer_of(name, "batch_matmul", scope, {a, b});
  layer.shape = std::move(shape);
  const double flops = product_flops(count(layer), static_cast<double>(inner));
  layer.forward = {flops, traffic(at(a)) + traffic(at(b)) + traffic(layer)};
  return append(std::move(layer));
}

LayerId LayerBuilder::layer_norm(const std::string& scope, LayerId from) {
  if (options_.fine) return fine_layer_norm(scope, from);
  Layer layer = layer_of(scope + "/layer_norm", "layer_norm", scope, {from});
  layer.shape = at(from).shape;
  layer.params_bytes = weight_bytes(2 * layer.shape.back());
  const auto params = static_cast<double>(layer.params_bytes);
  layer.forward = {kLayerNormFlops * count(layer), 2 * traffic(layer) + params};
  return append(std::move(layer));
}

LayerId LayerBuilder::rms_norm(const std::string& scope, LayerId from) {
  Layer layer = layer_of(scope + "/rms_norm", "rms_norm", scope, {from});
  layer.shape = at(from).shape;
  layer.params_bytes = weight_bytes(layer.shape.back());
  const auto params = static_cast<double>(layer.params_bytes);
  layer.forward = {kRmsNormFlops * count(layer), 2 * traffic(layer) + params};
  return append(std::move(layer));
}

LayerId LayerBuilder::softmax(const std::string& name, const std::string& scope, LayerId from) {
  return elementwise(layer_of(name, "softmax", scope, {from}), kSoftmaxFlops);
}

LayerId LayerBuilder::gelu(const std::string& name, const std::string& scope, LayerId from) {
  if (options_.fine) return fine_gelu(name, scope, from);
  return elementwise(layer_of(name, "gelu", scope, {from}), kGeluFlops);
}

LayerId LayerBuilder::tanh(const std::string& name, const std::string& scope, LayerId from) {
  return elementwise(layer_of(name, "tanh", scope, {from}), kTanhFlops);
}

LayerId LayerBuilder::sigmoid(const std::string& name, const std::string& scope, LayerId from) {
  return elementwise(layer_of(name, "sigmoid", scope, {from}), kSigmoidFlops);
}

LayerId LayerBuilder::silu(const std::string& name, const std::string& scope, LayerId from) {
  return elementwise(layer_of(name, "silu", scope, {from}), kSiluFlops);
}

LayerId LayerBuilder::rotate(const std::string& name, const std::string& scope, LayerId from) {
  return elementwise(layer_of(name, "rotary_embedding", scope, {from}), kRotaryFlops);
}

LayerId LayerBuilder::mul(const std::string& name, const std::string& scope, LayerId a, LayerId b) {
  Layer layer = layer_of(name, "mul", scope, {a, b});
  layer.shape = at(a).shape;
  layer.forward = {count(layer), 2 * traffic(layer) + traffic(at(b))};
  return append(std::move(layer));
}

LayerId LayerBuilder::state(const std::string& name, const std::string& scope,
                            std::vector<std::int64_t> shape) {
  Layer layer = layer_of(name, "state", scope);
  layer.shape = std::move(shape);
  layer.keep = true;
  return append(std::move(layer));
}

LayerId LayerBuilder::custom(const std::string& name, const std::string& type,
                             const std::string& scope, std::vector<LayerId> from,
                             std::vector<std::int64_t> shape, Work work) {
  Layer layer = layer_of(name, type, scope, std::move(from));
  layer.shape = std::move(shape);
  layer.forward = work;
  return append(std::move(layer));
}

LayerId LayerBuilder::prepend_token(const std::string& name, LayerId from) {
  Layer layer = layer_of(name, "concat", name, {from});
  layer.shape = at(from).shape;
  ++layer.shape[1];
  layer.params_bytes = weight_bytes(layer.shape.back());
  layer.forward.bytes = traffic(at(from)) + traffic(layer);
  return append(std::move(layer));
}

LayerId LayerBuilder::first_of(const std::string& name, const std::string& scope, LayerId from) {
  Layer layer = layer_of(name, "slice", scope, {from});
  layer.shape = {at(from).shape.front(), at(from).shape.back()};
  layer.forward.bytes = 2 * traffic(layer);
  return append(std::move(layer));
}

std::vector<LayerId> LayerBuilder::dispatch(const std::string& name, const std::string& scope,
                                            LayerId from, LayerId gates, std::int64_t experts,
                                            std::int64_t capacity) {
  Layer layer = layer_of(name, "dispatch", scope, {from, gates});
  layer.stash = {gates};
  const std::int64_t width = at(from).shape.back();
  layer.shape = {experts, capacity, width};
  layer.forward.bytes = 2 * traffic(layer) + traffic(at(gates));
  std::vector<std::string> names;
  for (std::int64_t k = 0; k < experts; ++k) names.push_back(std::to_string(k));
  return split(append(std::move(layer)), names, {capacity, width});
}

LayerId LayerBuilder::combine(const std::string& name, const std::string& scope,
                              const std::vector<LayerId>& experts, LayerId gates,
                              std::vector<std::int64_t> shape) {
  std::vector<LayerId> inputs = experts;
  inputs.push_back(gates);
  Layer layer = layer_of(name, "weighted_sum", scope, inputs);
  layer.shape = std::move(shape);
  double rows = 0, bytes = 0;
  for (const LayerId expert : experts) {
    rows += count(at(expert));
    bytes += traffic(at(expert));
  }
  layer.forward = {2 * rows, bytes + traffic(at(gates)) + traffic(layer)};
  return append(std::move(layer));
}

}  // namespace placer
