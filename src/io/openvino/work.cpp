#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include "io/openvino/ir.hpp"

namespace placer {
namespace {

enum class Cost {
  kFree,
  kMove,     // bytes alone
  kElement,  // flops for each output element
  kInput,    // flops for each element of the first input
  kGather,   // bytes, but not of the table
  kPool,
  kConvolution,
  kTransposed,
  kMatMul,
  kRecurrent,
  kAttention
};

struct Type {
  std::string_view name;
  IrRole role;
  Cost cost = Cost::kFree;
  double flops = 0;            // for each element; of convolutions the leading weight dimensions
  std::string_view ours = {};  // our own op type
};

constexpr Type element(std::string_view name, double flops = 1, std::string_view ours = {}) {
  return {name, IrRole::kWork, Cost::kElement, flops, ours};
}
constexpr Type reduction(std::string_view name) { return {name, IrRole::kWork, Cost::kInput, 1}; }
constexpr Type move(std::string_view name) { return {name, IrRole::kWork, Cost::kMove}; }
constexpr Type view(std::string_view name) { return {name, IrRole::kView}; }

constexpr std::array kTypes = std::to_array<Type>({
    {"Parameter", IrRole::kInput},
    {"Result", IrRole::kResult},
    {"Const", IrRole::kConstant},
    {"ShapeOf", IrRole::kShape},
    view("Reshape"),
    view("Squeeze"),
    view("Unsqueeze"),
    view("ReadValue"),
    view("Assign"),
    {"Convolution", IrRole::kWork, Cost::kConvolution, 1, "conv2d"},
    {"BinaryConvolution", IrRole::kWork, Cost::kConvolution, 1, "conv2d"},
    {"GroupConvolution", IrRole::kWork, Cost::kConvolution, 2, "conv2d"},
    {"ConvolutionBackpropData", IrRole::kWork, Cost::kTransposed, 1, "conv2d_transpose"},
    {"GroupConvolutionBackpropData", IrRole::kWork, Cost::kTransposed, 2, "conv2d_transpose"},
    {"MatMul", IrRole::kWork, Cost::kMatMul, 0, "matmul"},
    {"ScaledDotProductAttention", IrRole::kWork, Cost::kAttention, 0, "attention"},
    // Recurrent layers: the position of the input weights, before the recurrent ones.
    {"LSTMCell", IrRole::kWork, Cost::kRecurrent, 3},
    {"LSTMSequence", IrRole::kWork, Cost::kRecurrent, 4},
    {"GRUCell", IrRole::kWork, Cost::kRecurrent, 2},
    {"GRUSequence", IrRole::kWork, Cost::kRecurrent, 3},
    {"RNNCell", IrRole::kWork, Cost::kRecurrent, 2},
    {"RNNSequence", IrRole::kWork, Cost::kRecurrent, 3},
    {"MaxPool", IrRole::kWork, Cost::kPool, 1, "max_pool"},
    {"AvgPool", IrRole::kWork, Cost::kPool, 1, "avg_pool"},
    {"Gather", IrRole::kWork, Cost::kGather, 0, "gather"},
    {"GatherElements", IrRole::kWork, Cost::kGather},
    {"GatherND", IrRole::kWork, Cost::kGather},
    {"EmbeddingBagOffsetsSum", IrRole::kWork, Cost::kGather},
    {"EmbeddingBagPackedSum", IrRole::kWork, Cost::kGather},
    element("BatchNormInference", kBatchNormFlops, "batch_norm"),
    element("MVN", kLayerNormFlops, "layer_norm"),
    element("NormalizeL2", kRmsNormFlops),
    element("LRN", 5),
    element("GroupNormalization", kLayerNormFlops),
    element("RMS", kRmsNormFlops, "rms_norm"),
    element("SoftMax", kSoftmaxFlops, "softmax"),
    element("Softmax", kSoftmaxFlops, "softmax"),
    element("LogSoftmax", kSoftmaxFlops),
    element("Sigmoid", kSigmoidFlops, "sigmoid"),
    element("Tanh", kTanhFlops, "tanh"),
    element("Gelu", kGeluFlops, "gelu"),
    element("Swish", kSiluFlops, "silu"),
    element("HSwish", kSiluFlops),
    element("Mish", kGeluFlops),
    element("HSigmoid", 3),
    element("HardSigmoid", 3),
    element("Elu", 3),
    element("Selu", 3),
    element("SoftPlus", 3),
    element("SoftSign", 3),
    element("ReLU", 1, "relu"),
    element("PReLU"),
    element("Clamp", 2),
    element("Add", 1, "add"),
    element("Subtract", 1, "sub"),
    element("Multiply", 1, "mul"),
    element("Divide", 1, "div"),
    element("Mod"),
    element("FloorMod"),
    element("Power"),
    element("SquaredDifference", 2),
    element("Maximum"),
    element("Minimum"),
    element("Abs"),
    element("Negative"),
    element("Sqrt"),
    element("Exp"),
    element("Log"),
    element("Floor"),
    element("Ceiling"),
    element("Round"),
    element("Sign"),
    element("Sin"),
    element("Cos"),
    element("Erf"),
    element("Equal"),
    element("NotEqual"),
    element("Less"),
    element("LessEqual"),
    element("Greater"),
    element("GreaterEqual"),
    element("LogicalAnd"),
    element("LogicalOr"),
    element("LogicalXor"),
    element("LogicalNot"),
    element("BitwiseAnd"),
    element("BitwiseOr"),
    element("Select"),
    element("Convert"),
    element("ConvertLike"),
    element("FakeQuantize", 4),
    element("FakeConvert", 4),
    element("CumSum"),
    element("Interpolate", 8),
    element("GridSample", 8),
    reduction("ReduceSum"),
    reduction("ReduceMean"),
    reduction("ReduceMax"),
    reduction("ReduceMin"),
    reduction("ReduceProd"),
    reduction("ReduceL1"),
    reduction("ReduceL2"),
    reduction("ReduceLogicalAnd"),
    reduction("ReduceLogicalOr"),
    reduction("AdaptiveAvgPool"),
    reduction("AdaptiveMaxPool"),
    reduction("TopK"),
    move("Concat"),
    move("Split"),
    move("VariadicSplit"),
    move("Slice"),
    move("StridedSlice"),
    move("Transpose"),
    move("Pad"),
    move("Tile"),
    move("Broadcast"),
    move("Reverse"),
    move("ReverseSequence"),
    move("Roll"),
    move("DepthToSpace"),
    move("SpaceToDepth"),
    move("ShuffleChannels"),
    move("BatchToSpace"),
    move("SpaceToBatch"),
    move("ScatterUpdate"),
    move("ScatterNDUpdate"),
    move("ScatterElementsUpdate"),
    move("OneHot"),
    move("Range"),
    move("Eye"),
});

const Type* find_type(std::string_view name) {
  const auto type = std::ranges::find(kTypes, name, &Type::name);
  return type == kTypes.end() ? nullptr : &*type;
}

double product(const std::vector<std::int64_t>& extents, std::size_t from = 0) {
  double result = 1;
  for (std::size_t i = from; i < extents.size(); ++i) result *= static_cast<double>(extents[i]);
  return result;
}

class Worker {
 public:
  Worker(const IrLayer& layer, const Type& type, const ImportSource& source)
      : layer_(layer), type_(type), source_(source) {}

  Work work() const {
    Work work;
    for (const IrPort& port : layer_.outputs) work.bytes += port.bytes;
    for (const IrPort& port : layer_.inputs) work.bytes += port.bytes;
    if (type_.cost == Cost::kGather) work.bytes -= input(0).bytes;
    work.flops = flops();
    return work;
  }

 private:
  double flops() const {
    const auto leading = static_cast<std::size_t>(type_.flops);
    switch (type_.cost) {
      case Cost::kElement:
        return type_.flops * output(0).elements;
      case Cost::kInput:
        return type_.flops * input(0).elements;
      case Cost::kPool:
        return pool_flops(output(0).elements, product(layer_.kernel));
      case Cost::kConvolution:  // weights: [groups,] outputs / groups, inputs / groups, window
        return product_flops(output(0).elements, product(ranked(1, leading + 1).shape, leading));
      case Cost::kTransposed:  // weights: [groups,] inputs / groups, outputs / groups, window
        return product_flops(input(0).elements, product(ranked(1, leading + 1).shape, leading));
      case Cost::kMatMul:
        return product_flops(output(0).elements, inner());
      case Cost::kAttention:
        return attention();
      case Cost::kRecurrent:
        return recurrent(leading);
      default:
        return 0;
    }
  }

  const IrPort& input(std::size_t i) const {
    if (i < layer_.inputs.size()) return layer_.inputs[i];
    source_.fail(layer_.place(), fmt::format("at least {} inputs of a {}", i + 1, layer_.type),
                 fmt::format("{}", layer_.inputs.size()));
  }

  const IrPort& output(std::size_t i) const {
    if (i < layer_.outputs.size()) return layer_.outputs[i];
    source_.fail(layer_.place(), fmt::format("an output of a {}", layer_.type), "none");
  }

  /// Input `i`, of at least that many dimensions.
  const IrPort& ranked(std::size_t i, std::size_t dimensions) const {
    const IrPort& port = input(i);
    if (port.shape.size() >= dimensions) return port;
    source_.fail(layer_.place(), fmt::format("at least {} dimensions of input {}", dimensions, i),
                 fmt::format("{}", port.shape.size()));
  }

  double inner() const {
    const IrPort& a = ranked(0, 1);
    const std::size_t rank = a.shape.size();
    const std::size_t back = layer_.transpose_a && rank > 1 ? 2 : 1;
    return static_cast<double>(a.shape[rank - back]);
  }

  double attention() const {
    const IrPort& queries = ranked(0, 2);
    const IrPort& keys = ranked(1, 2);
    const auto from_end = [](const IrPort& port, std::size_t back) {
      return static_cast<double>(port.shape[port.shape.size() - back]);
    };
    const double width = from_end(queries, 1), count = from_end(queries, 2);
    const double heads = width * count > 0 ? queries.elements / (width * count) : 0;
    return attention_product_flops(heads, count, from_end(keys, 2), width) +
           kSoftmaxFlops * heads * count * from_end(keys, 2);
  }

  double recurrent(std::size_t weights) const {
    const IrPort& x = ranked(0, 1);
    const auto width = static_cast<double>(x.shape.back());
    const double steps = width > 0 ? x.elements / width : 0;
    return product_flops(steps, input(weights).elements + input(weights + 1).elements);
  }

  const IrLayer& layer_;
  const Type& type_;
  const ImportSource& source_;
};

}  // namespace

IrRole role_of(const IrLayer& layer, const ImportSource& source) {
  const Type* type = find_type(layer.type);
  if (type != nullptr) return type->role;
  source.fail(layer.place(), "a layer type whose cost is known",
              fmt::format("'{}'", one_line(layer.type, 60)));
}

std::string op_type_of(const IrLayer& layer) {
  const Type* type = find_type(layer.type);
  return type == nullptr || type->ours.empty() ? layer.type : std::string(type->ours);
}

Work work_of(const IrLayer& layer, const ImportSource& source) {
  return Worker(layer, *find_type(layer.type), source).work();
}

}  // namespace placer
