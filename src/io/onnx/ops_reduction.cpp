#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "io/onnx/node.hpp"

namespace placer {
namespace {

void like_input(OnnxNodeView& node) { node.set(0, node.shape(0)); }

void drop_axes(OnnxNodeView& node, const std::vector<char>& reduced, std::int32_t type) {
  const bool keeps = node.integer("keepdims", 1) != 0;
  OnnxShape shape;
  for (std::size_t i = 0; i < reduced.size(); ++i) {
    if (reduced[i] == 0) {
      shape.push_back(node.shape(0)[i]);
    } else if (keeps) {
      shape.push_back(1);
    }
  }
  node.set(0, std::move(shape), type);
}

void reduce(OnnxNodeView& node) { drop_axes(node, reduced_axes(node), node.type(0)); }

void place_of_best(OnnxNodeView& node) {
  std::vector<char> reduced(node.shape(0).size(), 0);
  reduced[node.axis(node.integer("axis", 0), node.rank(0))] = 1;
  drop_axes(node, reduced, kOnnxInt64);
}

/// How many came from an attribute to an input with version 10.
void best(OnnxNodeView& node) {
  const std::vector<std::int64_t> count = node.integers("k", 1);
  node.require(count.size() == 1, "one k", fmt::format("{}", count.size()));
  OnnxShape shape = node.shape(0);
  std::int64_t& extent = shape[node.axis(node.integer("axis", -1), node.rank(0))];
  node.require(count[0] >= 0 && count[0] <= extent, fmt::format("a k from 0 to {}", extent),
               fmt::format("{}", count[0]));
  extent = count[0];
  node.set(1, shape, kOnnxInt64);
  node.set(0, std::move(shape));
}

double input_elements(const OnnxNodeView& node) { return node.elements(0); }

constexpr OnnxOp reduction(std::string_view name, std::string_view ours = {},
                           void (*fold)(OnnxNodeView&) = nullptr) {
  return {.name = name, .shapes = reduce, .flops = input_elements, .ours = ours, .fold = fold};
}
constexpr OnnxOp search(std::string_view name, void (*shapes)(OnnxNodeView&)) {
  return {.name = name, .shapes = shapes, .flops = input_elements};
}

constexpr std::array kOps = std::to_array<OnnxOp>({
    reduction("ReduceSum", {}, fold_reduce),
    reduction("ReduceProd", {}, fold_reduce),
    reduction("ReduceMax", {}, fold_reduce),
    reduction("ReduceMin", {}, fold_reduce),
    reduction("ReduceMean", "reduce_mean"),
    reduction("ReduceL1"),
    reduction("ReduceL2"),
    reduction("ReduceLogSum"),
    reduction("ReduceLogSumExp"),
    reduction("ReduceSumSquare"),
    search("ArgMax", place_of_best),
    search("ArgMin", place_of_best),
    search("TopK", best),
    search("CumSum", like_input),
    search("CumProd", like_input),
});

}  // namespace

std::vector<char> reduced_axes(const OnnxNodeView& node) {
  const std::int64_t rank = node.rank(0);
  const std::vector<std::int64_t> axes = node.integers("axes", 1);
  const bool all = axes.empty() && node.integer("noop_with_empty_axes", 0) == 0;
  std::vector<char> reduced(static_cast<std::size_t>(rank), all ? 1 : 0);
  for (const std::int64_t axis : axes) reduced[node.axis(axis, rank)] = 1;
  return reduced;
}

std::span<const OnnxOp> onnx_reduction_ops() { return kOps; }

}  // namespace placer
