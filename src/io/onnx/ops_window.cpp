// Convolutions, pools and resizing: what slides a window over an image of any rank.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "io/onnx/node.hpp"

namespace placer {
namespace {

constexpr std::int64_t kMostExtent = 1'000'000'000;

struct Windows {
  std::vector<std::int64_t> kernel, strides, dilations, pads;
  std::string auto_pad;
  bool ceil_mode = false;
};

std::vector<std::int64_t> given_or(const OnnxNodeView& node, std::string_view name,
                                   std::size_t count, std::int64_t standard, std::int64_t least) {
  std::vector<std::int64_t> found = node.integers(name);
  if (found.empty()) found.assign(count, standard);
  node.require(found.size() == count, fmt::format("{} numbers in '{}'", count, name),
               fmt::format("{}", found.size()));
  for (const std::int64_t each : found) {
    node.require(each >= least && each <= kMostExtent,
                 fmt::format("'{}' from {} to {}", name, least, kMostExtent),
                 fmt::format("{}", each));
  }
  return found;
}

/// `kernel` is what the weights say; empty: the attribute says it.
Windows windows_of(const OnnxNodeView& node, OnnxShape kernel = {}) {
  node.require_rank(0, 2);
  const auto count = static_cast<std::size_t>(node.rank(0) - 2);
  Windows windows;
  windows.kernel = std::move(kernel);
  if (windows.kernel.empty()) windows.kernel = given_or(node, "kernel_shape", count, 1, 1);
  node.require(windows.kernel.size() == count, fmt::format("a window of {} dimensions", count),
               shape_text(windows.kernel));
  for (const std::int64_t extent : windows.kernel) {
    node.require(extent >= 1 && extent <= kMostExtent,
                 fmt::format("a window of 1 to {}", kMostExtent), shape_text(windows.kernel));
  }
  windows.strides = given_or(node, "strides", count, 1, 1);
  windows.dilations = given_or(node, "dilations", count, 1, 1);
  windows.pads = given_or(node, "pads", 2 * count, 0, -kMostExtent);
  windows.auto_pad = node.text("auto_pad", "NOTSET");
  windows.ceil_mode = node.integer("ceil_mode", 0) != 0;
  return windows;
}

std::int64_t slid(const OnnxNodeView& node, const Windows& windows, std::size_t i,
                  std::int64_t extent) {
  const std::int64_t stride = windows.strides[i];
  const bool same = windows.auto_pad.starts_with("SAME");
  if (same) return extent / stride + (extent % stride != 0);
  const bool pads = windows.auto_pad == "NOTSET" || windows.auto_pad.empty();
  const std::int64_t before = pads ? windows.pads[i] : 0;
  const std::int64_t after = pads ? windows.pads[i + windows.kernel.size()] : 0;
  const std::int64_t reach = (windows.kernel[i] - 1) * windows.dilations[i] + 1;
  const std::int64_t room = extent + before + after - reach;
  node.require(room >= 0, fmt::format("a window of at most {}", extent + before + after),
               fmt::format("{}", reach));
  std::int64_t count = room / stride + 1;
  // A last window counts when it begins inside the image or its first padding.
  if (windows.ceil_mode && room % stride != 0 && count * stride < extent + before) ++count;
  return count;
}

OnnxShape slid_shape(const OnnxNodeView& node, const Windows& windows, std::int64_t channels) {
  OnnxShape shape = {node.dim(0, 0), channels};
  for (std::size_t i = 0; i < windows.kernel.size(); ++i) {
    const std::int64_t extent = node.shape(0)[i + 2];
    node.require(extent <= kMostExtent, fmt::format("extents up to {}", kMostExtent),
                 shape_text(node.shape(0)));
    shape.push_back(slid(node, windows, i, extent));
  }
  return shape;
}

/// The weights stand at this input: behind the scale and zero point of quantized data.
std::size_t weights_input(const OnnxNodeView& node) { return node.input_count() >= 8 ? 3 : 1; }

OnnxShape weight_window(const OnnxNodeView& node, std::size_t weights) {
  node.require_rank(weights, 3);
  node.require(node.rank(weights) == node.rank(0),
               fmt::format("weights of {} dimensions, like the input", node.rank(0)),
               shape_text(node.shape(weights)));
  return {node.shape(weights).begin() + 2, node.shape(weights).end()};
}

std::int64_t groups_of(const OnnxNodeView& node) {
  const std::int64_t groups = node.integer("group", 1);
  node.require(groups >= 1 && groups <= kMostExtent, "a number of groups from 1",
               fmt::format("{}", groups));
  return groups;
}

void convolve_to(OnnxNodeView& node, std::int32_t type) {
  const std::size_t weights = weights_input(node);
  const OnnxShape window = weight_window(node, weights);
  const std::int64_t channels = node.dim(0, 1), each = node.dim(weights, 1);
  const std::int64_t groups = groups_of(node);
  node.require(channels % groups == 0 && each == channels / groups,
               fmt::format("weights for {} channels in {} groups", channels, groups),
               shape_text(node.shape(weights)));
  node.set(0, slid_shape(node, windows_of(node, window), node.dim(weights, 0)), type);
}

void convolve(OnnxNodeView& node) { convolve_to(node, node.type(0)); }
void convolve_integers(OnnxNodeView& node) { convolve_to(node, kOnnxInt32); }
void convolve_quantized(OnnxNodeView& node) {
  node.require(node.input_count() >= 8, "at least 8 inputs", fmt::format("{}", node.input_count()));
  convolve_to(node, node.type(7));
}

double convolution(const OnnxNodeView& node) {
  const std::size_t weights = weights_input(node);
  return convolution_flops(node.output_elements(0), static_cast<double>(node.dim(weights, 1)), 1,
                           element_count(weight_window(node, weights)));
}

void convolve_transposed(OnnxNodeView& node) {
  const Windows windows = windows_of(node, weight_window(node, 1));
  const std::int64_t groups = groups_of(node), each = node.dim(1, 1);
  node.require(node.dim(1, 0) == node.dim(0, 1),
               fmt::format("weights for {} channels", node.dim(0, 1)), shape_text(node.shape(1)));
  node.require(each <= kMostExtent, "fewer channels", fmt::format("{}", each));
  const std::size_t count = windows.kernel.size();
  const auto extra = given_or(node, "output_padding", count, 0, 0);
  const auto given = node.integers("output_shape");
  OnnxShape shape = {node.dim(0, 0), each * groups};
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t extent = node.shape(0)[i + 2];
    node.require(extent <= kMostExtent, "smaller extents", shape_text(node.shape(0)));
    const std::int64_t reach = (windows.kernel[i] - 1) * windows.dilations[i] + 1;
    std::int64_t out = windows.strides[i] * (extent - 1) + extra[i] + reach - windows.pads[i] -
                       windows.pads[i + count];
    if (windows.auto_pad.starts_with("SAME")) out = extent * windows.strides[i];
    if (given.size() >= count) out = given[given.size() - count + i];
    shape.push_back(out);
  }
  node.set(0, std::move(shape));
}

double transposed_convolution(const OnnxNodeView& node) {
  return transposed_convolution_flops(node.elements(0), static_cast<double>(node.dim(1, 1)), 1,
                                      element_count(weight_window(node, 1)));
}

void pool(OnnxNodeView& node) {
  node.require(node.has("kernel_shape"), "an attribute 'kernel_shape'", "none");
  node.set(0, slid_shape(node, windows_of(node), node.dim(0, 1)));
  if (node.has_output(1)) node.set(1, node.output(0).shape, kOnnxInt64);
}

double pooling(const OnnxNodeView& node) {
  double window = 1;
  for (const std::int64_t extent : node.integers("kernel_shape")) {
    window *= static_cast<double>(extent);
  }
  return pool_flops(node.output_elements(0), std::max(window, 1.0));
}

void pool_all(OnnxNodeView& node) {
  node.require_rank(0, 2);
  OnnxShape shape = node.shape(0);
  std::fill(shape.begin() + 2, shape.end(), 1);
  node.set(0, std::move(shape));
}

double input_elements(const OnnxNodeView& node) { return node.elements(0); }

/// Resize has its scales in input 2 since version 11, in input 1 before, Upsample as an attribute
/// at first.
std::vector<double> scales_of(const OnnxNodeView& node) {
  const std::size_t at = node.input_count() > 2 ? 2 : 1;
  if (!node.has_input(at) || node.elements(at) == 0) return node.reals("scales");
  return node.numbers(at);
}

void resize(OnnxNodeView& node) {
  const std::int64_t rank = node.rank(0);
  std::vector<std::int64_t> axes = node.integers("axes");
  if (axes.empty()) {
    for (std::int64_t i = 0; i < rank; ++i) axes.push_back(i);
  }
  OnnxShape shape = node.shape(0);
  const bool by_sizes = node.has_input(3) && node.elements(3) > 0;
  const std::vector<double> factors = by_sizes ? node.numbers(3) : scales_of(node);
  node.require(factors.size() == axes.size(),
               fmt::format("{} scales or sizes, one for each axis", axes.size()),
               fmt::format("{}", factors.size()));
  for (std::size_t i = 0; i < axes.size(); ++i) {
    std::int64_t& extent = shape[node.axis(axes[i], rank)];
    const double to = by_sizes ? factors[i] : std::floor(static_cast<double>(extent) * factors[i]);
    node.require(to >= 0 && to <= static_cast<double>(kMostExtent),
                 fmt::format("extents from 0 to {}", kMostExtent), fmt::format("{}", to));
    extent = static_cast<std::int64_t>(to);
  }
  node.set(0, std::move(shape));
}

/// Output pixels of input 0's batch and channels at the places that input 1 lists.
void grid_sample(OnnxNodeView& node) {
  node.require_rank(0, 3);
  node.require(node.rank(1) == node.rank(0), "a grid of as many dimensions as the input",
               shape_text(node.shape(1)));
  OnnxShape shape = node.shape(0);
  for (std::size_t i = 2; i < shape.size(); ++i) shape[i] = node.shape(1)[i - 1];
  node.set(0, std::move(shape));
}

void region_align(OnnxNodeView& node) {
  node.require_rank(0, 4);
  node.require_rank(1, 1);
  node.set(0, {node.dim(1, 0), node.dim(0, 1), node.integer("output_height", 1),
               node.integer("output_width", 1)});
}

constexpr OnnxOp window_op(std::string_view name, void (*shapes)(OnnxNodeView&),
                           double (*flops)(const OnnxNodeView&), std::string_view ours) {
  return {.name = name, .shapes = shapes, .flops = flops, .ours = ours};
}

constexpr std::array kOps = std::to_array<OnnxOp>({
    window_op("Conv", convolve, convolution, "conv2d"),
    window_op("ConvInteger", convolve_integers, convolution, "conv2d"),
    window_op("QLinearConv", convolve_quantized, convolution, "conv2d"),
    window_op("DeformConv", convolve, convolution, "deform_conv"),
    window_op("com.microsoft.FusedConv", convolve, convolution, "conv2d"),
    window_op("ConvTranspose", convolve_transposed, transposed_convolution, "conv2d_transpose"),
    window_op("MaxPool", pool, pooling, "max_pool"),
    window_op("AveragePool", pool, pooling, "avg_pool"),
    window_op("LpPool", pool, pooling, {}),
    window_op("GlobalAveragePool", pool_all, input_elements, "avg_pool"),
    window_op("GlobalMaxPool", pool_all, input_elements, "max_pool"),
    window_op("GlobalLpPool", pool_all, input_elements, {}),
    {.name = "Resize", .shapes = resize, .flops_per_element = 8, .ours = "resize"},
    {.name = "Upsample", .shapes = resize, .flops_per_element = 8, .ours = "resize"},
    {.name = "GridSample", .shapes = grid_sample, .flops_per_element = 8},
    {.name = "RoiAlign", .shapes = region_align, .flops_per_element = 32},
});

}  // namespace

std::span<const OnnxOp> onnx_window_ops() { return kOps; }

}  // namespace placer
