#include <array>
#include <numeric>

#include "io/onnx/node.hpp"

namespace placer {
namespace {

OnnxShape shape_of_all(const OnnxNodeView& node) {
  std::vector<std::size_t> present;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    if (node.has_input(i)) present.push_back(i);
  }
  return broadcast(node, present);
}

void like_input(OnnxNodeView& node) { node.set(0, node.shape(0)); }
void truth_like_input(OnnxNodeView& node) { node.set(0, node.shape(0), kOnnxBool); }
void of_all(OnnxNodeView& node) { node.set(0, shape_of_all(node), node.type(0)); }
void truth_of_all(OnnxNodeView& node) { node.set(0, shape_of_all(node), kOnnxBool); }
void chosen(OnnxNodeView& node) { node.set(0, shape_of_all(node), node.type(1)); }

void cast(OnnxNodeView& node) {
  const std::int64_t to = node.integer("to", 0);
  node.require(find_onnx_type(to) != nullptr, "an element type 'to' of a known size",
               onnx_type_name(to));
  node.set(0, node.shape(0), static_cast<std::int32_t>(to));
}

void cast_like(OnnxNodeView& node) { node.set(0, node.shape(0), node.type(1)); }

void quantize(OnnxNodeView& node) {
  std::int32_t type = node.has_input(2) ? node.type(2) : kOnnxUint8;
  if (const auto given = node.integer("output_dtype", 0); find_onnx_type(given) != nullptr) {
    type = static_cast<std::int32_t>(given);
  }
  node.set(0, node.shape(0), type);
}

void dequantize(OnnxNodeView& node) {
  std::int32_t type = node.type(1);
  if (const auto given = node.integer("output_dtype", 0); find_onnx_type(given) != nullptr) {
    type = static_cast<std::int32_t>(given);
  }
  node.set(0, node.shape(0), type);
}

void dynamic_quantize(OnnxNodeView& node) {
  node.set(0, node.shape(0), kOnnxUint8);
  node.set(1, {}, kOnnxFloat);
  node.set(2, {}, kOnnxUint8);
}

constexpr OnnxOp unary(std::string_view name, double flops, std::string_view ours = {}) {
  return {.name = name, .shapes = like_input, .flops_per_element = flops, .ours = ours};
}
constexpr OnnxOp folded(OnnxOp op, void (*fold)(OnnxNodeView&)) {
  op.fold = fold;
  return op;
}
constexpr OnnxOp known_unary(std::string_view name, std::string_view ours = {}) {
  return folded(unary(name, 1, ours), fold_unary);
}
constexpr OnnxOp test_of_one(std::string_view name) {
  return {.name = name, .shapes = truth_like_input, .flops_per_element = 1};
}
constexpr OnnxOp several(std::string_view name, double flops = 1, std::string_view ours = {}) {
  return {.name = name, .shapes = of_all, .flops_per_element = flops, .ours = ours};
}
constexpr OnnxOp arithmetic(std::string_view name, std::string_view ours = {}) {
  return folded(several(name, 1, ours), fold_binary);
}
constexpr OnnxOp comparison(std::string_view name) {
  return {.name = name, .shapes = truth_of_all, .flops_per_element = 1, .fold = fold_binary};
}

constexpr std::array kOps = std::to_array<OnnxOp>({
    unary("Relu", 1, "relu"),
    unary("LeakyRelu", 2),
    unary("Elu", 3),
    unary("Selu", 3),
    unary("Celu", 3),
    unary("ThresholdedRelu", 1),
    unary("Sigmoid", kSigmoidFlops, "sigmoid"),
    unary("HardSigmoid", 3),
    unary("HardSwish", kSiluFlops),
    unary("Swish", kSiluFlops, "silu"),
    unary("Mish", kGeluFlops),
    unary("Softplus", 3),
    unary("Softsign", 3),
    unary("Tanh", kTanhFlops, "tanh"),
    unary("Gelu", kGeluFlops, "gelu"),
    unary("Erf", 1, "erf"),
    unary("Exp", 1),
    unary("Log", 1),
    unary("Sin", 1),
    unary("Cos", 1),
    unary("Tan", 1),
    unary("Asin", 1),
    unary("Acos", 1),
    unary("Atan", 1),
    unary("Sinh", 1),
    unary("Cosh", 1),
    unary("Asinh", 1),
    unary("Acosh", 1),
    unary("Atanh", 1),
    unary("Sign", 1),
    unary("Shrink", 2),
    unary("Clip", 2),
    unary("BitwiseNot", 1),
    unary("Trilu", 0),
    known_unary("Sqrt", "sqrt"),
    known_unary("Reciprocal"),
    known_unary("Abs"),
    known_unary("Neg"),
    known_unary("Floor"),
    known_unary("Ceil"),
    known_unary("Round"),
    known_unary("Not"),
    test_of_one("IsNaN"),
    test_of_one("IsInf"),
    arithmetic("Add", "add"),
    arithmetic("Sub", "sub"),
    arithmetic("Mul", "mul"),
    arithmetic("Div", "div"),
    arithmetic("Mod"),
    arithmetic("Pow"),
    arithmetic("Max"),
    arithmetic("Min"),
    several("Sum", 1, "add"),
    several("Mean"),
    several("PRelu", 2),
    several("BitShift"),
    several("BitwiseAnd"),
    several("BitwiseOr"),
    several("BitwiseXor"),
    comparison("And"),
    comparison("Or"),
    comparison("Xor"),
    comparison("Equal"),
    comparison("Less"),
    comparison("LessOrEqual"),
    comparison("Greater"),
    comparison("GreaterOrEqual"),
    {.name = "Where", .shapes = chosen, .flops_per_element = 1, .fold = fold_where},
    {.name = "Cast", .shapes = cast, .ours = "cast", .fold = fold_cast},
    {.name = "CastLike", .shapes = cast_like, .ours = "cast", .fold = fold_cast},
    {.name = "QuantizeLinear", .shapes = quantize, .flops_per_element = 3},
    {.name = "DequantizeLinear", .shapes = dequantize, .flops_per_element = 2},
    {.name = "DynamicQuantizeLinear", .shapes = dynamic_quantize, .flops_per_element = 5},
});

}  // namespace

std::span<const OnnxOp> onnx_elementwise_ops() { return kOps; }

}  // namespace placer
