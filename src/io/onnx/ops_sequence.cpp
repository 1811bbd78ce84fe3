// Recurrent layers and attention.
#include <fmt/format.h>

#include <array>

#include "io/onnx/node.hpp"

namespace placer {
namespace {

struct Recurrence {
  std::int64_t steps, batch, inputs, hidden, directions;
  bool batch_first;
};

Recurrence recurrence_of(const OnnxNodeView& node, double gates) {
  node.require(node.rank(0) == 3 && node.rank(1) == 3 && node.rank(2) == 3,
               "inputs 0, 1 and 2 of three dimensions", shape_text(node.shape(0)));
  const bool batch_first = node.integer("layout", 0) != 0;
  const Recurrence found = {node.dim(0, batch_first ? 1 : 0),
                            node.dim(0, batch_first ? 0 : 1),
                            node.dim(0, 2),
                            node.dim(2, 2),
                            node.dim(2, 0),
                            batch_first};
  const double rows = gates * static_cast<double>(found.hidden);
  const auto is = [](std::int64_t extent, double wanted) {
    return static_cast<double>(extent) == wanted;
  };
  node.require(node.dim(1, 2) == found.inputs && is(node.dim(1, 1), rows) &&
                   is(node.dim(2, 1), rows) && node.dim(1, 0) == found.directions,
               fmt::format("weights of {} gates for {} inputs and {} states", gates, found.inputs,
                           found.hidden),
               shape_text(node.shape(1)) + " and " + shape_text(node.shape(2)));
  return found;
}

template <int kGates>
void recur(OnnxNodeView& node) {
  const Recurrence r = recurrence_of(node, kGates);
  if (r.batch_first) {
    node.set(0, {r.batch, r.steps, r.directions, r.hidden});
    for (std::size_t i = 1; i <= 2; ++i) node.set(i, {r.batch, r.directions, r.hidden});
  } else {
    node.set(0, {r.steps, r.directions, r.batch, r.hidden});
    for (std::size_t i = 1; i <= 2; ++i) node.set(i, {r.directions, r.batch, r.hidden});
  }
}

template <int kGates, int kCellFlops>
double recurrence_flops(const OnnxNodeView& node) {
  const Recurrence r = recurrence_of(node, kGates);
  const auto times = static_cast<double>(r.steps) * static_cast<double>(r.directions);
  const auto batch = static_cast<double>(r.batch), hidden = static_cast<double>(r.hidden);
  return times * (recurrent_product_flops(batch, kGates, static_cast<double>(r.inputs), hidden) +
                  kCellFlops * batch * hidden);
}

/// An input of Attention (opset 23): batch x heads x time x width, or with the heads folded into
/// the width.
struct Heads {
  std::int64_t batch, heads, time, width;
};

Heads heads_of(const OnnxNodeView& node, std::size_t i, std::string_view attribute) {
  if (node.rank(i) == 4) return {node.dim(i, 0), node.dim(i, 1), node.dim(i, 2), node.dim(i, 3)};
  node.require(node.rank(i) == 3, "3 or 4 dimensions", shape_text(node.shape(i)));
  const std::int64_t heads = node.integer(attribute, 0);
  node.require(heads > 0 && node.dim(i, 2) % heads == 0,
               fmt::format("a number '{}' that divides {}", attribute, node.dim(i, 2)),
               fmt::format("{}", heads));
  return {node.dim(i, 0), heads, node.dim(i, 1), node.dim(i, 2) / heads};
}

struct AttentionParts {
  Heads queries, keys, values;
  std::int64_t past, total;  // keys before these, and with these
};

AttentionParts attention_parts(const OnnxNodeView& node) {
  AttentionParts parts = {heads_of(node, 0, "q_num_heads"), heads_of(node, 1, "kv_num_heads"),
                          heads_of(node, 2, "kv_num_heads"), 0, 0};
  if (node.has_input(4)) {
    node.require_rank(4, 4);
    parts.past = node.dim(4, 2);
  }
  parts.total = parts.past + parts.keys.time;
  node.require(parts.queries.width == parts.keys.width && parts.keys.time == parts.values.time &&
                   parts.queries.batch == parts.keys.batch,
               "keys as wide as queries and as long as values",
               shape_text(node.shape(0)) + ", " + shape_text(node.shape(1)) + " and " +
                   shape_text(node.shape(2)));
  node.require(parts.keys.heads > 0 && parts.queries.heads % parts.keys.heads == 0,
               "a multiple of the keys' heads", fmt::format("{}", parts.queries.heads));
  return parts;
}

void attend(OnnxNodeView& node) {
  const auto [q, k, v, past, total] = attention_parts(node);
  if (node.rank(0) == 4) {
    node.set(0, {q.batch, q.heads, q.time, v.width});
  } else {
    node.require(element_count({q.heads, v.width}) <= kMostOnnxElements, "fewer heads",
                 fmt::format("{}", q.heads));
    node.set(0, {q.batch, q.time, q.heads * v.width});
  }
  node.set(1, {k.batch, k.heads, total, k.width});
  node.set(2, {v.batch, v.heads, total, v.width}, node.type(2));
  node.set(3, {q.batch, q.heads, q.time, total});
}

double attention_flops(const OnnxNodeView& node) {
  const auto [q, k, v, past, total] = attention_parts(node);
  const double heads = static_cast<double>(q.batch) * static_cast<double>(q.heads);
  const auto queries = static_cast<double>(q.time), keys = static_cast<double>(total);
  const double width = static_cast<double>(q.width + v.width) / 2;
  return attention_product_flops(heads, queries, keys, width) +
         kSoftmaxFlops * heads * queries * keys;
}

void like_input(OnnxNodeView& node) { node.set(0, node.shape(0)); }

constexpr std::array kOps = std::to_array<OnnxOp>({
    {.name = "LSTM",
     .shapes = recur<static_cast<int>(kLstmGates)>,
     .flops = recurrence_flops<static_cast<int>(kLstmGates), static_cast<int>(kLstmFlops)>,
     .ours = "lstm"},
    {.name = "GRU",
     .shapes = recur<static_cast<int>(kGruGates)>,
     .flops = recurrence_flops<static_cast<int>(kGruGates), static_cast<int>(kGruFlops)>,
     .ours = "gru"},
    {.name = "RNN",
     .shapes = recur<1>,
     .flops = recurrence_flops<1, static_cast<int>(kTanhFlops)>,
     .ours = "rnn"},
    {.name = "Attention", .shapes = attend, .flops = attention_flops, .ours = "attention"},
    {.name = "RotaryEmbedding",
     .shapes = like_input,
     .flops_per_element = kRotaryFlops,
     .ours = "rotary_embedding"},
});

}  // namespace

std::span<const OnnxOp> onnx_sequence_ops() { return kOps; }

}  // namespace placer
