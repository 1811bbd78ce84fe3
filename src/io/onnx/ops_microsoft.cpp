// ONNX Runtime's fused operators, domain com.microsoft.
#include <fmt/format.h>

#include <array>

#include "io/onnx/node.hpp"

namespace placer {
namespace {

void like_input(OnnxNodeView& node) { node.set(0, node.shape(0)); }

void bias(OnnxNodeView& node) { node.set(0, broadcast(node, node.shape(0), node.shape(1))); }

/// The sum before the norm is output 3.
void skip_norm(OnnxNodeView& node) {
  node.require(broadcast(node, node.shape(0), node.shape(1)) == node.shape(0),
               "inputs that broadcast to the first", shape_text(node.shape(1)));
  node.require_rank(0, 1);
  node.set(0, node.shape(0));
  OnnxShape statistics = node.shape(0);
  statistics.back() = 1;
  for (std::size_t i = 1; i <= 2; ++i) node.set(i, statistics, kOnnxFloat);
  node.set(3, node.shape(0));
}

void embed(OnnxNodeView& node) {
  node.require(node.rank(0) == 2, "token ids of two dimensions", shape_text(node.shape(0)));
  const OnnxShape shape = {node.dim(0, 0), node.dim(0, 1), node.dim(2, -1)};
  node.set(0, shape, node.type(2));
  node.set(1, {node.dim(0, 0)}, kOnnxInt32);
  node.set(2, shape, node.type(2));
}

std::int64_t heads_of(const OnnxNodeView& node, std::string_view attribute = "num_heads") {
  const std::int64_t heads = node.integer(attribute, 0);
  node.require(heads > 0 && heads <= 1'000'000, fmt::format("a number '{}' from 1", attribute),
               fmt::format("{}", heads));
  return heads;
}

/// Widths of queries, keys and values, all heads together, as the weights' columns pack them.
std::array<std::int64_t, 3> packed_widths(const OnnxNodeView& node) {
  node.require(node.rank(0) == 3 && node.rank(1) == 2 && node.dim(0, 2) == node.dim(1, 0),
               "batch x time x width and weights with a row for each of the width",
               shape_text(node.shape(0)) + " and " + shape_text(node.shape(1)));
  const std::int64_t columns = node.dim(1, 1);
  const std::vector<std::int64_t> given = node.integers("qkv_hidden_sizes");
  const auto is_width = [&](std::int64_t width) { return width >= 0 && width <= columns; };
  if (given.size() == 3 && is_width(given[0]) && is_width(given[1]) && is_width(given[2]) &&
      given[0] + given[1] + given[2] == columns) {
    return {given[0], given[1], given[2]};
  }
  node.require(given.empty() && columns % 3 == 0,
               fmt::format("three widths that add up to {}", columns), shape_text(given));
  return {columns / 3, columns / 3, columns / 3};
}

double cached(const OnnxNodeView& node, std::size_t past) {
  return node.has_input(past) && node.rank(past) >= 2 ? static_cast<double>(node.dim(past, -2)) : 0;
}

void attend_packed(OnnxNodeView& node) {
  const auto [queries, keys, values] = packed_widths(node);
  const std::int64_t heads = heads_of(node), batch = node.dim(0, 0), time = node.dim(0, 1);
  node.set(0, {batch, time, values});
  const double total = static_cast<double>(time) + cached(node, 4);
  node.set(1, {2, batch, heads, static_cast<std::int64_t>(total), keys / heads});
}

double scores_flops(double batch, double heads, double queries, double keys, double width) {
  return attention_product_flops(batch * heads, queries, keys, width / heads) +
         kSoftmaxFlops * batch * heads * queries * keys;
}

double attend_packed_flops(const OnnxNodeView& node) {
  const auto [queries, keys, values] = packed_widths(node);
  const auto batch = static_cast<double>(node.dim(0, 0)),
             time = static_cast<double>(node.dim(0, 1));
  const double products = product_flops(batch * time * static_cast<double>(node.dim(1, 1)),
                                        static_cast<double>(node.dim(0, 2)));
  return products + scores_flops(batch, static_cast<double>(heads_of(node)), time,
                                 time + cached(node, 4), static_cast<double>(queries + values) / 2);
}

/// Queries, keys and values in inputs of batch x time x width, each.
void attend_apart(OnnxNodeView& node) {
  node.require(node.rank(0) == 3 && node.has_input(1) && node.has_input(2) && node.rank(1) == 3 &&
                   node.rank(2) == 3,
               "queries, keys and values of three dimensions each", shape_text(node.shape(0)));
  const std::int64_t heads = heads_of(node);
  const std::int64_t kv_heads = node.has("kv_num_heads") ? heads_of(node, "kv_num_heads") : heads;
  const bool grouped = node.has("kv_num_heads");
  const double width = static_cast<double>(node.dim(2, 2)) * static_cast<double>(heads) /
                       static_cast<double>(kv_heads);
  node.require(width <= kMostOnnxElements, "a smaller width", fmt::format("{}", width));
  node.set(0, {node.dim(0, 0), node.dim(0, 1), static_cast<std::int64_t>(width)});
  const double total = static_cast<double>(node.dim(1, 1)) + cached(node, grouped ? 3 : 6);
  const OnnxShape kept = {node.dim(1, 0), kv_heads, static_cast<std::int64_t>(total),
                          node.dim(1, 2) / kv_heads};
  for (std::size_t i = 1; i <= 2; ++i) node.set(i, kept);
}

double attend_apart_flops(const OnnxNodeView& node) {
  const bool grouped = node.has("kv_num_heads");
  return scores_flops(static_cast<double>(node.dim(0, 0)), static_cast<double>(heads_of(node)),
                      static_cast<double>(node.dim(0, 1)),
                      static_cast<double>(node.dim(1, 1)) + cached(node, grouped ? 3 : 6),
                      static_cast<double>(node.dim(0, 2)));
}

/// Each of the two inputs is followed by its scale and zero point.
void quantized_pair(OnnxNodeView& node) {
  node.set(0, broadcast(node, node.shape(0), node.shape(3)));
}

void quantize(OnnxNodeView& node) {
  node.set(0, node.shape(0), node.has_input(2) ? node.type(2) : kOnnxUint8);
}
void dequantize(OnnxNodeView& node) { node.set(0, node.shape(0), node.type(1)); }

constexpr OnnxOp fused(std::string_view name, void (*shapes)(OnnxNodeView&), double flops,
                       std::string_view ours = {}) {
  return {.name = name, .shapes = shapes, .flops_per_element = flops, .ours = ours};
}

constexpr std::array kOps = std::to_array<OnnxOp>({
    fused("com.microsoft.Gelu", like_input, kGeluFlops, "gelu"),
    fused("com.microsoft.QuickGelu", like_input, kSiluFlops, "gelu"),
    fused("com.microsoft.FastGelu", like_input, kGeluFlops + 1, "gelu"),
    fused("com.microsoft.BiasGelu", bias, kGeluFlops + 1, "gelu"),
    fused("com.microsoft.BiasAdd", bias, 2, "add"),
    fused("com.microsoft.SkipLayerNormalization", skip_norm, kLayerNormFlops + 1, "layer_norm"),
    fused("com.microsoft.SkipSimplifiedLayerNormalization", skip_norm, kRmsNormFlops + 1,
          "rms_norm"),
    fused("com.microsoft.RotaryEmbedding", like_input, kRotaryFlops, "rotary_embedding"),
    fused("com.microsoft.QLinearAdd", quantized_pair, 3, "add"),
    fused("com.microsoft.QLinearMul", quantized_pair, 3, "mul"),
    fused("com.microsoft.QuantizeLinear", quantize, 3, "QuantizeLinear"),
    fused("com.microsoft.DequantizeLinear", dequantize, 2, "DequantizeLinear"),
    {.name = "com.microsoft.EmbedLayerNormalization",
     .shapes = embed,
     .flops_per_element = kLayerNormFlops + 2,
     .ours = "embedding",
     .traffic = OnnxTraffic::kLookup},
    {.name = "com.microsoft.Attention",
     .shapes = attend_packed,
     .flops = attend_packed_flops,
     .ours = "attention"},
    {.name = "com.microsoft.MultiHeadAttention",
     .shapes = attend_apart,
     .flops = attend_apart_flops,
     .ours = "attention"},
    {.name = "com.microsoft.GroupQueryAttention",
     .shapes = attend_apart,
     .flops = attend_apart_flops,
     .ours = "attention"},
});

}  // namespace

std::span<const OnnxOp> onnx_microsoft_ops() { return kOps; }

}  // namespace placer
