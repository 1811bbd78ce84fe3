// What looks elements up, makes tensors from shapes, or reads shapes alone.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "io/onnx/node.hpp"

namespace placer {
namespace {

void like_input(OnnxNodeView& node) { node.set(0, node.shape(0)); }

void gather(OnnxNodeView& node) {
  const std::size_t axis = node.axis(node.integer("axis", 0), node.rank(0));
  const OnnxShape& table = node.shape(0);
  const OnnxShape& indices = node.shape(1);
  OnnxShape shape(table.begin(), table.begin() + static_cast<std::ptrdiff_t>(axis));
  shape.insert(shape.end(), indices.begin(), indices.end());
  shape.insert(shape.end(), table.begin() + static_cast<std::ptrdiff_t>(axis) + 1, table.end());
  node.set(0, std::move(shape));
}

void gather_elements(OnnxNodeView& node) {
  node.require(node.rank(1) == node.rank(0), "indices of as many dimensions as the data",
               shape_text(node.shape(1)));
  node.set(0, node.shape(1));
}

void gather_nd(OnnxNodeView& node) {
  node.require_rank(1, 1);
  const std::int64_t batch = node.integer("batch_dims", 0), depth = node.dim(1, -1);
  node.require(batch >= 0 && batch < node.rank(1) && depth >= 0 && depth <= node.rank(0) - batch,
               fmt::format("at most {} indices of an element", node.rank(0) - batch),
               fmt::format("{}", depth));
  OnnxShape shape(node.shape(1).begin(), node.shape(1).end() - 1);
  shape.insert(shape.end(), node.shape(0).begin() + batch + depth, node.shape(0).end());
  node.set(0, std::move(shape));
}

void read_shape(OnnxNodeView& node) {
  const std::int64_t rank = node.rank(0);
  const auto clamped = [&](std::int64_t at) {
    return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  const std::int64_t start = clamped(node.integer("start", 0));
  const std::int64_t end = clamped(node.integer("end", rank));
  node.set(0, {std::max<std::int64_t>(end - start, 0)}, kOnnxInt64);
}

void read_size(OnnxNodeView& node) { node.set(0, {}, kOnnxInt64); }

void constant(OnnxNodeView& node) {
  if (const OnnxTensor* value = node.tensor("value")) return node.set(0, value->shape, value->type);
  if (node.has("value_int")) return node.set(0, {}, kOnnxInt64);
  if (node.has("value_float")) return node.set(0, {}, kOnnxFloat);
  if (node.has("value_ints")) {
    return node.set(0, {std::ssize(node.integers("value_ints"))}, kOnnxInt64);
  }
  if (node.has("value_floats")) {
    return node.set(0, {std::ssize(node.reals("value_floats"))}, kOnnxFloat);
  }
  node.fail("a value of numbers", "another or none");
}

void constant_of_shape(OnnxNodeView& node) {
  const OnnxTensor* value = node.tensor("value");
  node.set(0, node.integers(0), value != nullptr ? value->type : kOnnxFloat);
}

void range(OnnxNodeView& node) {
  double ends[3];
  for (std::size_t i = 0; i < 3; ++i) {
    const std::vector<double> number = node.numbers(i);
    node.require(number.size() == 1, fmt::format("one number in input {}", i),
                 shape_text(node.shape(i)));
    ends[i] = number.front();
  }
  const double count = std::ceil((ends[1] - ends[0]) / ends[2]);
  node.require(count <= kMostOnnxElements, "a finite range", fmt::format("{} elements", count));
  node.set(0, {static_cast<std::int64_t>(std::max(count, 0.0))});
}

void one_hot(OnnxNodeView& node) {
  const std::vector<double> depth = node.numbers(1);
  node.require(depth.size() == 1 && depth[0] >= 0 && depth[0] <= kMostOnnxElements,
               "one depth from 0", shape_text(node.shape(1)));
  OnnxShape shape = node.shape(0);
  const std::size_t axis = node.axis(node.integer("axis", -1), std::ssize(shape) + 1);
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis),
               static_cast<std::int64_t>(depth[0]));
  node.set(0, std::move(shape), node.type(2));
}

void eye_like(OnnxNodeView& node) {
  const std::int64_t type = node.integer("dtype", node.type(0));
  node.set(0, node.shape(0), static_cast<std::int32_t>(type));
}

void random_like(OnnxNodeView& node) { eye_like(node); }

void random(OnnxNodeView& node) {
  node.set(0, node.integers("shape"), static_cast<std::int32_t>(node.integer("dtype", kOnnxFloat)));
}

/// Needs values that are never known; a shape from the file or the user is all there is.
void unforeseeable(OnnxNodeView& node) {
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    if (!node.has_output(i) || node.output(i).is_known) continue;
    node.fail("a number of elements that is known beforehand",
              fmt::format("one that depends on values; --shape {}=100, with its own extents, says "
                          "it",
                          one_line(node.output(i).name, 100)));
  }
}

/// How many there are is only known of a constant.
void nonzero(OnnxNodeView& node) {
  if (node.values(0) == nullptr) return unforeseeable(node);
  const std::vector<double> all = node.numbers(0);
  const auto count = std::ranges::count_if(all, [](double each) { return each != 0; });
  node.set(0, {node.rank(0), count}, kOnnxInt64);
}

constexpr OnnxOp mover(std::string_view name, void (*shapes)(OnnxNodeView&),
                       std::string_view ours = {}, void (*fold)(OnnxNodeView&) = nullptr,
                       OnnxTraffic traffic = OnnxTraffic::kAll) {
  return {.name = name, .shapes = shapes, .ours = ours, .fold = fold, .traffic = traffic};
}

constexpr std::array kOps = std::to_array<OnnxOp>({
    mover("Gather", gather, "gather", fold_gather, OnnxTraffic::kLookup),
    mover("GatherElements", gather_elements, {}, nullptr, OnnxTraffic::kLookup),
    mover("GatherND", gather_nd, {}, nullptr, OnnxTraffic::kLookup),
    mover("Scatter", like_input),
    mover("ScatterElements", like_input),
    mover("ScatterND", like_input),
    mover("TensorScatter", like_input),
    mover("Constant", constant, {}, fold_constant),
    mover("ConstantOfShape", constant_of_shape, {}, fold_constant_of_shape),
    mover("Range", range, {}, fold_range),
    mover("OneHot", one_hot),
    mover("EyeLike", eye_like),
    mover("RandomNormal", random, {}, nullptr, OnnxTraffic::kOutputs),
    mover("RandomUniform", random, {}, nullptr, OnnxTraffic::kOutputs),
    mover("RandomNormalLike", random_like, {}, nullptr, OnnxTraffic::kOutputs),
    mover("RandomUniformLike", random_like, {}, nullptr, OnnxTraffic::kOutputs),
    mover("Bernoulli", random_like),
    mover("NonZero", nonzero, {}, fold_nonzero),
    mover("Unique", unforeseeable),
    mover("Compress", unforeseeable),
    mover("NonMaxSuppression", unforeseeable),
    {.name = "Shape", .shapes = read_shape, .fold = fold_shape, .role = OnnxRole::kShape},
    {.name = "Size", .shapes = read_size, .fold = fold_size, .role = OnnxRole::kShape},
});

}  // namespace

std::span<const OnnxOp> onnx_index_ops() { return kOps; }

}  // namespace placer
