#include <fmt/format.h>

#include <array>

#include "io/onnx/node.hpp"

namespace placer {
namespace {

void like_input(OnnxNodeView& node) { node.set(0, node.shape(0)); }

void along_axis(OnnxNodeView& node) {
  if (node.rank(0) > 0) node.axis(node.integer("axis", -1), node.rank(0));
  node.set(0, node.shape(0));
}

/// Scales and shifts for each channel.
void require_channels(const OnnxNodeView& node, std::size_t i) {
  node.require_rank(0, 2);
  const bool fits = node.elements(i) == static_cast<double>(node.dim(0, 1));
  node.require(fits,
               fmt::format("{} elements of input {}, one for each channel", node.dim(0, 1), i),
               shape_text(node.shape(i)));
}

void batch_norm(OnnxNodeView& node) {
  require_channels(node, 1);
  node.set(0, node.shape(0));
  for (std::size_t i = 1; i < node.output_count(); ++i) node.set(i, node.shape(1), node.type(1));
}

void instance_norm(OnnxNodeView& node) {
  require_channels(node, 1);
  node.set(0, node.shape(0));
}

void group_norm(OnnxNodeView& node) {
  node.require_rank(0, 2);
  const std::int64_t groups = node.integer("num_groups", 0);
  node.require(groups > 0 && node.dim(0, 1) % groups == 0,
               fmt::format("a number of groups that divides {} channels", node.dim(0, 1)),
               fmt::format("{}", groups));
  node.set(0, node.shape(0));
}

/// Mean and deviation have extents of one from the axis on.
void layer_norm(OnnxNodeView& node) {
  const std::size_t axis = node.axis(node.integer("axis", -1), node.rank(0));
  node.require(broadcast(node, node.shape(0), node.shape(1)) == node.shape(0),
               "a scale that broadcasts to the input", shape_text(node.shape(1)));
  node.set(0, node.shape(0));
  OnnxShape statistics = node.shape(0);
  std::fill(statistics.begin() + static_cast<std::ptrdiff_t>(axis), statistics.end(), 1);
  for (std::size_t i = 1; i < node.output_count(); ++i) node.set(i, statistics, kOnnxFloat);
}

void dropout(OnnxNodeView& node) {
  node.set(0, node.shape(0));
  node.set(1, node.shape(0), kOnnxBool);
}

/// The shapes of a loss of logits or log-probabilities, batch x classes x ..., with labels for all
/// positions but along the classes.
void loss(OnnxNodeView& node) {
  node.require(node.rank(0) >= 2 && node.rank(1) == node.rank(0) - 1,
               "labels of one dimension less than the input", shape_text(node.shape(1)));
  const bool keeps_each = node.text("reduction", "mean") == "none";
  node.set(0, keeps_each ? node.shape(1) : OnnxShape());
  node.set(1, node.shape(0));
}

double loss_flops(const OnnxNodeView& node) { return kSoftmaxFlops * node.elements(0); }

constexpr OnnxOp norm(std::string_view name, void (*shapes)(OnnxNodeView&), double flops,
                      std::string_view ours) {
  return {.name = name, .shapes = shapes, .flops_per_element = flops, .ours = ours};
}

constexpr std::array kOps = std::to_array<OnnxOp>({
    norm("BatchNormalization", batch_norm, kBatchNormFlops, "batch_norm"),
    norm("InstanceNormalization", instance_norm, kLayerNormFlops, "instance_norm"),
    norm("GroupNormalization", group_norm, kLayerNormFlops, "group_norm"),
    norm("LayerNormalization", layer_norm, kLayerNormFlops, "layer_norm"),
    norm("RMSNormalization", layer_norm, kRmsNormFlops, "rms_norm"),
    norm("SimplifiedLayerNormalization", layer_norm, kRmsNormFlops, "rms_norm"),
    norm("MeanVarianceNormalization", like_input, kLayerNormFlops, {}),
    norm("LRN", like_input, 5, {}),
    norm("LpNormalization", along_axis, kRmsNormFlops, {}),
    norm("Softmax", along_axis, kSoftmaxFlops, "softmax"),
    norm("LogSoftmax", along_axis, kSoftmaxFlops, "log_softmax"),
    norm("Hardmax", along_axis, kSoftmaxFlops, {}),
    {.name = "SoftmaxCrossEntropyLoss",
     .shapes = loss,
     .flops = loss_flops,
     .ours = "softmax_cross_entropy"},
    {.name = "NegativeLogLikelihoodLoss", .shapes = loss, .flops = loss_flops},
    {.name = "Dropout",
     .shapes = dropout,
     .flops_per_element = kDropoutFlops,
     .ours = "dropout",
     .role = OnnxRole::kView},
});

}  // namespace

std::span<const OnnxOp> onnx_norm_ops() { return kOps; }

}  // namespace placer
