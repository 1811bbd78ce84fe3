#pragma once

#include <vector>

#include "model/zoo/layers.hpp"

namespace placer {

/// Sets the costs of the layer's gradients and whether its inputs share one, by its type. `inputs`
/// are those of `layer.inputs`; `weight_bytes` are its own parameters or those that it shares. A
/// type without a rule costs as much backward as forward.
void set_gradient_work(Layer& layer, const std::vector<const Layer*>& inputs, double weight_bytes);

/// True for types that `set_gradient_work` has a rule for.
bool has_gradient_rule(const Layer& layer);

/// A matrix product or convolution none of whose factors is a weight.
bool is_product_of_inputs(const Layer& layer, double weight_bytes);

}  // namespace placer
