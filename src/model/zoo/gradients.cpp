#include "model/zoo/gradients.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "placer/model/graph.hpp"
#include "placer/model/op_types.hpp"

namespace placer {
namespace {

std::vector<Gradients> single_gradients(const Layer& layer, bool has_weights,
                                        const GradientPath& path) {
  const auto count = static_cast<double>(layer.inputs.size());
  std::vector<Gradients> each;
  for (std::size_t k = 0; k < layer.inputs.size(); ++k) {
    if (path.needs[layer.inputs[k].index()] == 0) continue;
    Gradients one;
    one.suffix = fmt::format("_input{}_backward", count > 1 ? std::to_string(k) : "");
    one.inputs = {layer.inputs[k]};
    one.work = {layer.input_gradient.flops / count, layer.input_gradient.bytes / count};
    std::ranges::copy_if(layer.inputs, std::back_inserter(one.stash),
                         [&](LayerId other) { return other != layer.inputs[k]; });
    each.push_back(std::move(one));
  }
  if (has_weights) {
    each.push_back({"_weight_backward", {}, true, layer.stash, layer.parameter_gradient});
  }
  return each;
}

/// The share of its forward op's time that a backward op takes.
double time_share(const Layer& layer, const Gradients& gradients) {
  const Work& forward = layer.forward;
  if (counts_as_product(layer.type) && forward.flops > 0) {
    return gradients.work.flops / forward.flops;
  }
  if (forward.bytes > 0) return gradients.work.bytes / forward.bytes;
  return gradients.weights && !gradients.inputs.empty() ? 2 : 1;
}

}  // namespace

GradientPath::GradientPath(const std::vector<Layer>& layers) {
  for (const LayerId id : IdRange<LayerId>(layers.size())) {
    bool needed = weights_of(layers, id).has_value();
    for (const LayerId input : layers[id.index()].inputs) needed |= needs[input.index()] != 0;
    needs.push_back(needed);
  }
  reaches.assign(layers.size(), 0);
  reaches.back() = 1;
  for (std::size_t i = layers.size(); i-- > 0;) {
    if (!reaches[i]) continue;
    for (const LayerId input : layers[i].inputs) reaches[input.index()] = 1;
  }
}

std::optional<LayerId> weights_of(const std::vector<Layer>& layers, LayerId id) {
  const Layer& layer = layers[id.index()];
  if (layer.weights_of) return layer.weights_of;
  return layer.params_bytes > 0 ? std::optional(id) : std::nullopt;
}

std::vector<Gradients> gradients_of(const std::vector<Layer>& layers, LayerId id,
                                    const GradientPath& path, bool is_fine) {
  const Layer& layer = layers[id.index()];
  const bool has_weights = weights_of(layers, id).has_value();
  if (is_fine && counts_as_product(layer.type)) return single_gradients(layer, has_weights, path);
  Gradients all;
  std::ranges::copy_if(layer.inputs, std::back_inserter(all.inputs),
                       [&](LayerId input) { return path.needs[input.index()] != 0; });
  all.weights = has_weights;
  all.stash = layer.stash;
  if (all.weights) all.work += layer.parameter_gradient;
  if (!all.inputs.empty()) all.work += layer.input_gradient;
  return {all};
}

void set_backward_costs(Op& op, const Layer& layer, const Gradients& gradients) {
  op.flops = gradients.work.flops;
  op.bytes = gradients.work.bytes;
  if (layer.given == nullptr) return;
  op.devices = layer.given->devices;
  for (const auto& [device, seconds] : layer.given->seconds) {
    op.seconds.emplace_back(device, seconds * time_share(layer, gradients));
  }
  if (!layer.given->flops) op.flops.reset();
  if (!layer.given->bytes) op.bytes.reset();
}

}  // namespace placer
