#include "model/zoo/gradient_work.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "placer/model/op_types.hpp"

namespace placer {
namespace {

enum class Rule {
  kAsForward,  // moves: the same way back
  kAddition,   // passes the gradient on
  kProduct,    // once for each factor
  kTwice,
  kMultiply,
  kElementwise,  // reads the gradient besides its stash
  kNorm,
  kScale,
  kMaxPool,
  kLookup,
  kSlice,
  kDropout,
  kLoss
};

constexpr std::array kRules = std::to_array<std::pair<std::string_view, Rule>>({
    {"add", Rule::kAddition},
    {"bias_add", Rule::kAddition},
    {"attention", Rule::kTwice},
    {"lstm_cell", Rule::kTwice},
    {"weighted_sum", Rule::kTwice},
    {"mul", Rule::kMultiply},
    {"relu", Rule::kElementwise},
    {"softmax", Rule::kElementwise},
    {"gelu", Rule::kElementwise},
    {"tanh", Rule::kElementwise},
    {"sigmoid", Rule::kElementwise},
    {"silu", Rule::kElementwise},
    {"rotary_embedding", Rule::kElementwise},
    {"batch_norm", Rule::kNorm},
    {"layer_norm", Rule::kNorm},
    {"rms_norm", Rule::kNorm},
    {"scale_by_weights", Rule::kScale},
    {"max_pool", Rule::kMaxPool},
    {"gather", Rule::kLookup},
    {"slice", Rule::kSlice},
    {"dropout", Rule::kDropout},
    {"softmax_cross_entropy", Rule::kLoss},
});

Rule rule_of(const Layer& layer, double weight_bytes) {
  if (counts_as_product(layer.type)) return Rule::kProduct;
  const auto row = std::ranges::find(kRules, std::string_view(layer.type),
                                     &std::pair<std::string_view, Rule>::first);
  const Rule rule = row == kRules.end() ? Rule::kAsForward : row->second;
  return rule == Rule::kMultiply && weight_bytes > 0 && layer.inputs.size() == 1 ? Rule::kScale
                                                                                 : rule;
}

Work twice(const Work& work) { return {2 * work.flops, 2 * work.bytes}; }

Work input_gradient(Rule rule, const Layer& layer, const std::vector<const Layer*>& inputs,
                    double weight_bytes) {
  const Work& forward = layer.forward;
  switch (rule) {
    case Rule::kAsForward:
    case Rule::kLookup:
      return forward;
    case Rule::kAddition:
      return {};
    case Rule::kProduct:
      return is_product_of_inputs(layer, weight_bytes) ? twice(forward) : forward;
    case Rule::kTwice:
      return twice(forward);
    case Rule::kMultiply:
      return {2 * forward.flops, 2 * forward.bytes - traffic(layer)};
    case Rule::kElementwise:
      return {forward.flops, 1.5 * forward.bytes};
    case Rule::kNorm:  // a pass over input and gradient counts for the weights: one more write
    case Rule::kScale:
      return {forward.flops, traffic(layer)};
    case Rule::kMaxPool:
      return {forward.flops, 2 * traffic(*inputs.front()) + traffic(layer)};
    case Rule::kSlice:
      return {0, traffic(layer) + traffic(*inputs.front())};
    case Rule::kDropout:
      return {count(layer), forward.bytes};
    case Rule::kLoss:
      return {forward.flops / kSoftmaxFlops, forward.bytes};
  }
  return forward;
}

Work parameter_gradient(Rule rule, const Layer& layer, const std::vector<const Layer*>& inputs,
                        double weight_bytes) {
  const Work& forward = layer.forward;
  switch (rule) {
    case Rule::kProduct:
      return forward;
    case Rule::kAddition:
      return {count(layer), traffic(layer) + weight_bytes};
    case Rule::kNorm:
      return {forward.flops, 2 * traffic(layer) + 2 * weight_bytes};
    case Rule::kScale:
      return {2 * forward.flops, 2 * traffic(layer)};
    case Rule::kLookup:
      return {count(layer), forward.bytes + weight_bytes};
    default:
      break;
  }
  if (layer.type == "concat") {  // of learnt rows: a sum over the batch
    double bytes = traffic(layer);
    for (const Layer* input : inputs) bytes -= traffic(*input);
    return {bytes / static_cast<double>(dtype_bytes(layer.dtype)), bytes};
  }
  return {forward.flops, forward.bytes + weight_bytes};
}

}  // namespace

bool has_gradient_rule(const Layer& layer) { return rule_of(layer, 0) != Rule::kAsForward; }

bool is_product_of_inputs(const Layer& layer, double weight_bytes) {
  return counts_as_product(layer.type) && weight_bytes == 0;
}

void set_gradient_work(Layer& layer, const std::vector<const Layer*>& inputs, double weight_bytes) {
  const Rule rule = rule_of(layer, weight_bytes);
  layer.one_gradient =
      rule == Rule::kAddition && std::ranges::all_of(inputs, [&](const Layer* input) {
        return output_bytes(*input) == output_bytes(layer);
      });
  if (!inputs.empty()) layer.input_gradient = input_gradient(rule, layer, inputs, weight_bytes);
  if (weight_bytes > 0) {
    layer.parameter_gradient = parameter_gradient(rule, layer, inputs, weight_bytes);
  }
}

}  // namespace placer
