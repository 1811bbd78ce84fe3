// Norms and activations taken apart, as exporters write them.
#include <algorithm>

#include "model/zoo/layers.hpp"

namespace placer {

LayerId LayerBuilder::pointwise(const std::string& name, const std::string& type,
                                const std::string& scope, std::vector<LayerId> from,
                                std::vector<std::int64_t> shape) {
  const std::int64_t outputs = elements(shape);
  Work work{static_cast<double>(outputs),
            static_cast<double>(outputs * dtype_bytes(options_.dtype))};
  for (const LayerId input : from) {
    work.flops = std::max(work.flops, count(at(input)));
    work.bytes += traffic(at(input));
  }
  return custom(name, type, scope, std::move(from), std::move(shape), work);
}

LayerId LayerBuilder::scale_by_weights(const std::string& name, const std::string& scope,
                                       LayerId from) {
  Layer layer = layer_of(name, "scale_by_weights", scope, {from});
  layer.shape = at(from).shape;
  layer.params_bytes = weight_bytes(layer.shape.back());
  layer.forward = {count(layer), 2 * traffic(layer) + static_cast<double>(layer.params_bytes)};
  return append(std::move(layer));
}

LayerId LayerBuilder::fine_layer_norm(const std::string& scope, LayerId from) {
  const std::string name = scope + "/layer_norm";
  const std::vector<std::int64_t> shape = at(from).shape;
  std::vector<std::int64_t> row = shape;
  row.back() = 1;
  const LayerId mean = pointwise(name + "/mean", "reduce_mean", scope, {from}, row);
  const LayerId centred = pointwise(name + "/centred", "sub", scope, {from, mean}, shape);
  const LayerId squares = pointwise(name + "/squares", "square", scope, {centred}, shape);
  const LayerId variance = pointwise(name + "/variance", "reduce_mean", scope, {squares}, row);
  const LayerId above = pointwise(name + "/above_zero", "add_constant", scope, {variance}, row);
  const LayerId deviation = pointwise(name + "/deviation", "sqrt", scope, {above}, row);
  const LayerId normal = pointwise(name + "/normal", "div", scope, {centred, deviation}, shape);
  const LayerId scaled = scale_by_weights(name + "/scaled", scope, normal);
  return bias(name + "/shifted", scope, scaled, shape.back());
}

LayerId LayerBuilder::fine_gelu(const std::string& name, const std::string& scope, LayerId from) {
  const std::vector<std::int64_t> shape = at(from).shape;
  const LayerId scaled = pointwise(name + "/scaled", "scale", scope, {from}, shape);
  const LayerId erf = pointwise(name + "/erf", "erf", scope, {scaled}, shape);
  const LayerId share = pointwise(name + "/share", "add_constant", scope, {erf}, shape);
  const LayerId product = mul(name + "/product", scope, from, share);
  return pointwise(name + "/half", "scale", scope, {product}, shape);
}

}  // namespace placer
