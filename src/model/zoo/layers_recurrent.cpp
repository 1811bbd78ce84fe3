
#include "model/zoo/layers.hpp"

namespace placer {

std::vector<LayerId> LayerBuilder::split(LayerId whole, const std::vector<std::string>& names,
                                         const std::vector<std::int64_t>& shape) {
  layers_[whole.index()].has_parts = true;
  std::vector<LayerId> parts;
  for (const std::string& name : names) {
    Layer part = layer_of(at(whole).name + ":" + name, "", at(whole).scope, {whole});
    part.part_of = whole;
    part.shape = shape;
    parts.push_back(append(std::move(part)));
  }
  return parts;
}

std::vector<LayerId> LayerBuilder::unstack(const std::string& name, const std::string& scope,
                                           LayerId from) {
  Layer layer = layer_of(name, "unstack", scope, {from});
  layer.shape = at(from).shape;
  layer.forward.bytes = 2 * traffic(layer);
  std::vector<std::int64_t> shape = layer.shape;
  const std::int64_t times = shape[1];
  shape.erase(shape.begin() + 1);
  std::vector<std::string> names;
  for (std::int64_t t = 0; t < times; ++t) names.push_back(std::to_string(t));
  return split(append(std::move(layer)), names, shape);
}

LayerId LayerBuilder::stack(const std::string& name, const std::string& scope,
                            const std::vector<LayerId>& from) {
  Layer layer = layer_of(name, "concat", scope, from);
  layer.shape = at(from.front()).shape;
  layer.shape.insert(layer.shape.begin() + 1, static_cast<std::int64_t>(from.size()));
  layer.forward.bytes = 2 * traffic(layer);
  return append(std::move(layer));
}

LayerId LayerBuilder::join(const std::string& name, const std::string& scope, LayerId a,
                           LayerId b) {
  Layer layer = layer_of(name, "concat", scope, {a, b});
  layer.shape = at(a).shape;
  layer.shape.back() += at(b).shape.back();
  layer.forward.bytes = 2 * traffic(layer);
  return append(std::move(layer));
}

LayerBuilder::Cell LayerBuilder::lstm_cell(const std::string& name, const std::string& scope,
                                           LayerId from, const std::optional<Cell>& last,
                                           std::int64_t hidden, CellWeights& weights) {
  // The first step's output and state are zeros, which are not built; its product is a whole one.
  const std::int64_t width = at(from).shape.back() + hidden;
  const LayerId both = last ? join(name + "/concat", scope, from, last->output) : from;
  Layer product = layer_of(name + "/matmul", "matmul", scope, {both});
  product.shape = {at(from).shape.front(), static_cast<std::int64_t>(kLstmGates) * hidden};
  const std::int64_t bytes = weight_bytes(width * product.shape.back());
  if (weights.product) {
    product.weights_of = weights.product;
  } else {
    product.params_bytes = bytes;
  }
  set_product_work(product, at(both),
                   product_flops(count(product), static_cast<double>(at(both).shape.back())),
                   bytes);
  const LayerId gates = append(std::move(product));
  if (!weights.product) weights.product = gates;
  const LayerId biased =
      bias(name + "/bias", scope, gates, static_cast<std::int64_t>(kLstmGates) * hidden);
  if (weights.bias) {
    layers_[biased.index()].weights_of = weights.bias;
    layers_[biased.index()].params_bytes = 0;
  } else {
    weights.bias = biased;
  }
  if (options_.fine) return fine_cell(name, scope, biased, last, hidden);

  std::vector<LayerId> inputs = {biased};
  if (last) inputs.push_back(last->state);
  Layer cell = layer_of(name + "/cell", "lstm_cell", scope, inputs);
  cell.shape = {at(from).shape.front(), 2, hidden};
  const double units = count(cell) / 2;
  cell.forward = {kLstmFlops * units, traffic(at(biased)) + 1.5 * traffic(cell)};
  const std::vector<LayerId> parts =
      split(append(std::move(cell)), {"output", "state"}, {at(from).shape.front(), hidden});
  return {parts[0], parts[1]};
}

LayerBuilder::Cell LayerBuilder::fine_cell(const std::string& name, const std::string& scope,
                                           LayerId gates, const std::optional<Cell>& last,
                                           std::int64_t hidden) {
  Layer whole = layer_of(name + "/split", "split", scope, {gates});
  whole.shape = at(gates).shape;
  const std::vector<LayerId> gate =
      split(append(std::move(whole)), {"input", "forget", "output", "update"},
            {at(gates).shape.front(), hidden});
  const LayerId in = sigmoid(name + "/input_gate", scope, gate[0]);
  const LayerId out = sigmoid(name + "/output_gate", scope, gate[2]);
  LayerId state = mul(name + "/new", scope, in, tanh(name + "/update", scope, gate[3]));
  if (last) {
    const LayerId forget = sigmoid(name + "/forget_gate", scope, gate[1]);
    const LayerId old = mul(name + "/old", scope, last->state, forget);
    state = add(name + "/state", scope, old, state);
  }
  return {mul(name + "/output", scope, out, tanh(name + "/state_tanh", scope, state)), state};
}

}  // namespace placer
