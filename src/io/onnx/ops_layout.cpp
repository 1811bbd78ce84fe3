// Views, and what moves elements without looking at other tensors' values.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include "io/onnx/node.hpp"

namespace placer {
namespace {

void like_input(OnnxNodeView& node) { node.set(0, node.shape(0)); }

void reshape(OnnxNodeView& node) {
  OnnxShape shape = node.integers("shape", 1);
  const bool keeps_zeros = node.integer("allowzero", 0) != 0;
  const double elements = node.elements(0);
  double others = 1;
  std::int64_t* rest = nullptr;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0 && !keeps_zeros) shape[i] = node.dim(0, static_cast<std::int64_t>(i));
    if (shape[i] == -1 && rest == nullptr) {
      rest = &shape[i];
    } else {
      others *= static_cast<double>(shape[i]);
    }
  }
  const bool divides = rest != nullptr && others > 0 && others <= elements &&
                       static_cast<std::int64_t>(elements) % static_cast<std::int64_t>(others) == 0;
  if (rest != nullptr) *rest = divides ? static_cast<std::int64_t>(elements / others) : 0;
  node.require(
      element_count(shape) == elements,
      fmt::format("a shape of {} elements, like the input {}", elements, shape_text(node.shape(0))),
      shape_text(node.integers("shape", 1)));
  node.set(0, std::move(shape));
}

/// 1e15 and 1e15 elements make more than a shape may have.
std::int64_t extent_of(const OnnxNodeView& node, double count) {
  node.require(count >= 0 && count <= kMostOnnxElements,
               fmt::format("0 to {} elements", kMostOnnxElements), fmt::format("{}", count));
  return static_cast<std::int64_t>(count);
}

void flatten(OnnxNodeView& node) {
  const std::int64_t rank = node.rank(0), given = node.integer("axis", 1);
  const std::int64_t axis =
      given == rank ? rank : static_cast<std::int64_t>(node.axis(given, rank));
  const OnnxShape& shape = node.shape(0);
  const auto middle = shape.begin() + axis;
  node.set(0, {extent_of(node, element_count({shape.begin(), middle})),
               extent_of(node, element_count({middle, shape.end()}))});
}

void squeeze(OnnxNodeView& node) {
  const std::int64_t rank = node.rank(0);
  const std::vector<std::int64_t> axes = node.integers("axes", 1);
  std::vector<char> gone(static_cast<std::size_t>(rank), 0);
  for (const std::int64_t axis : axes) gone[node.axis(axis, rank)] = 1;
  OnnxShape shape;
  for (std::size_t i = 0; i < gone.size(); ++i) {
    const std::int64_t extent = node.shape(0)[i];
    if (axes.empty() ? extent == 1 : gone[i] != 0) {
      node.require(extent == 1, fmt::format("an extent of 1 at axis {}", i),
                   shape_text(node.shape(0)));
    } else {
      shape.push_back(extent);
    }
  }
  node.set(0, std::move(shape));
}

void unsqueeze(OnnxNodeView& node) {
  const std::vector<std::int64_t> axes = node.integers("axes", 1);
  const std::size_t rank = node.shape(0).size() + axes.size();
  node.require(rank <= 64, "at most 64 dimensions", fmt::format("{}", rank));
  std::vector<char> is_new(rank, 0);
  for (const std::int64_t axis : axes) {
    char& here = is_new[node.axis(axis, std::ssize(is_new))];
    node.require(here == 0, "different axes", fmt::format("{} twice", axis));
    here = 1;
  }
  OnnxShape shape;
  auto next = node.shape(0).begin();
  for (const char made : is_new) shape.push_back(made != 0 ? 1 : *next++);
  node.set(0, std::move(shape));
}

void transpose(OnnxNodeView& node) {
  const std::int64_t rank = node.rank(0);
  std::vector<std::int64_t> order = node.integers("perm");
  if (!node.has("perm")) {
    for (std::int64_t i = rank; i > 0; --i) order.push_back(i - 1);
  }
  OnnxShape shape;
  std::vector<char> taken(static_cast<std::size_t>(rank), 0);
  for (const std::int64_t from : order) {
    const std::size_t axis = node.axis(from, rank);
    node.require(taken[axis] == 0, "each axis once in 'perm'", fmt::format("{} twice", from));
    taken[axis] = 1;
    shape.push_back(node.shape(0)[axis]);
  }
  node.require(shape.size() == taken.size(), fmt::format("{} axes in 'perm'", rank),
               fmt::format("{}", order.size()));
  node.set(0, std::move(shape));
}

void concat(OnnxNodeView& node) {
  const std::int64_t rank = node.rank(0);
  const std::size_t axis = node.axis(node.integer("axis", 1), rank);
  OnnxShape shape = node.shape(0);
  for (std::size_t i = 1; i < node.input_count(); ++i) {
    OnnxShape other = node.shape(i);
    node.require(other.size() == shape.size(), fmt::format("{} dimensions of each input", rank),
                 shape_text(other));
    const std::int64_t extent = std::exchange(other[axis], shape[axis]);
    node.require(other == shape, fmt::format("inputs that differ along axis {} alone", axis),
                 shape_text(node.shape(i)) + " and " + shape_text(node.shape(0)));
    shape[axis] = extent_of(node, static_cast<double>(shape[axis]) + static_cast<double>(extent));
  }
  node.set(0, std::move(shape));
}

void split(OnnxNodeView& node) {
  const std::size_t axis = node.axis(node.integer("axis", 0), node.rank(0));
  const std::vector<std::int64_t> sizes = split_sizes(node, axis);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    OnnxShape shape = node.shape(0);
    shape[axis] = sizes[i];
    node.set(i, std::move(shape));
  }
}

void expand(OnnxNodeView& node) {
  const OnnxShape& wanted = node.integers(1);
  for (const std::int64_t extent : wanted) {
    node.require(extent >= 0, "extents from 0", shape_text(wanted));
  }
  node.set(0, broadcast(node, node.shape(0), wanted));
}

void tile(OnnxNodeView& node) {
  const std::vector<std::int64_t>& times = node.integers(1);
  OnnxShape shape = node.shape(0);
  node.require(times.size() == shape.size(), fmt::format("{} repeats", shape.size()),
               fmt::format("{}", times.size()));
  for (std::size_t i = 0; i < shape.size(); ++i) {
    shape[i] = extent_of(node, static_cast<double>(shape[i]) * static_cast<double>(times[i]));
  }
  node.set(0, std::move(shape));
}

/// Pads, and since version 18 the axes that they are for, came from an attribute to an input.
void pad(OnnxNodeView& node) {
  const std::int64_t rank = node.rank(0);
  const std::vector<std::int64_t> pads =
      node.integers(node.has("paddings") ? "paddings" : "pads", 1);
  std::vector<std::int64_t> axes(static_cast<std::size_t>(rank));
  std::iota(axes.begin(), axes.end(), 0);
  if (node.has_input(3)) axes = node.integers(3);
  node.require(pads.size() == 2 * axes.size(), fmt::format("{} pads", 2 * axes.size()),
               fmt::format("{}", pads.size()));
  OnnxShape shape = node.shape(0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    std::int64_t& extent = shape[node.axis(axes[i], rank)];
    const double padded = static_cast<double>(extent) + static_cast<double>(pads[i]) +
                          static_cast<double>(pads[i + axes.size()]);
    node.require(padded >= 0, "extents from 0", fmt::format("{}", padded));
    extent = extent_of(node, padded);
  }
  node.set(0, std::move(shape));
}

void slice(OnnxNodeView& node) {
  OnnxShape shape;
  for (const OnnxSlice& part : slices_of(node)) shape.push_back(part.count);
  node.set(0, std::move(shape));
}

void depth_to_space(OnnxNodeView& node) {
  node.require(node.rank(0) == 4, "4 dimensions", shape_text(node.shape(0)));
  const std::int64_t block = node.integer("blocksize", 0), channels = node.dim(0, 1);
  node.require(block >= 1 && block <= 1'000'000 && channels % (block * block) == 0,
               fmt::format("a block size whose square divides {}", channels),
               fmt::format("{}", block));
  const auto grown = [&](std::int64_t at) {
    return extent_of(node, static_cast<double>(node.dim(0, at)) * static_cast<double>(block));
  };
  node.set(0, {node.dim(0, 0), channels / (block * block), grown(2), grown(3)});
}

void space_to_depth(OnnxNodeView& node) {
  node.require(node.rank(0) == 4, "4 dimensions", shape_text(node.shape(0)));
  const std::int64_t block = node.integer("blocksize", 0);
  node.require(block >= 1 && block <= 1'000'000 && node.dim(0, 2) % block == 0 &&
                   node.dim(0, 3) % block == 0,
               "a block size that divides the image", fmt::format("{}", block));
  const double channels = static_cast<double>(node.dim(0, 1)) * static_cast<double>(block * block);
  node.set(0, {node.dim(0, 0), extent_of(node, channels), node.dim(0, 2) / block,
               node.dim(0, 3) / block});
}

constexpr OnnxOp view(std::string_view name, void (*shapes)(OnnxNodeView&)) {
  return {.name = name, .shapes = shapes, .fold = fold_copy, .role = OnnxRole::kView};
}
constexpr OnnxOp mover(std::string_view name, void (*shapes)(OnnxNodeView&), std::string_view ours,
                       void (*fold)(OnnxNodeView&) = nullptr,
                       OnnxTraffic traffic = OnnxTraffic::kAll) {
  return {.name = name, .shapes = shapes, .ours = ours, .fold = fold, .traffic = traffic};
}

constexpr std::array kOps = std::to_array<OnnxOp>({
    view("Identity", like_input),
    view("Reshape", reshape),
    view("Flatten", flatten),
    view("Squeeze", squeeze),
    view("Unsqueeze", unsqueeze),
    mover("Transpose", transpose, "transpose", fold_transpose),
    mover("Concat", concat, "concat", fold_concat),
    mover("Split", split, "split", fold_split),
    mover("Expand", expand, "expand", fold_expand),
    mover("Tile", tile, "tile", fold_tile),
    mover("Pad", pad, "pad"),
    mover("Slice", slice, "slice", fold_slice, OnnxTraffic::kOutputs),
    mover("DepthToSpace", depth_to_space, {}),
    mover("SpaceToDepth", space_to_depth, {}),
    mover("ReverseSequence", like_input, {}),
});

}  // namespace

std::vector<std::int64_t> split_sizes(const OnnxNodeView& node, std::size_t axis) {
  const std::int64_t extent = node.shape(0)[axis];
  std::vector<std::int64_t> sizes = node.integers("split", 1);
  const std::int64_t count = node.integer(
      "num_outputs", std::ssize(sizes) > 0 ? std::ssize(sizes) : std::int64_t(node.output_count()));
  node.require(count == std::int64_t(node.output_count()) && count > 0,
               fmt::format("{} parts, one for each output", node.output_count()),
               fmt::format("{}", count));
  node.require(sizes.empty() || std::ssize(sizes) == count, fmt::format("{} sizes", count),
               fmt::format("{}", sizes.size()));
  if (sizes.empty()) {
    const std::int64_t each = extent / count + (extent % count != 0);
    for (std::int64_t i = 0, left = extent; i < count; ++i) {
      sizes.push_back(std::min(each, left));
      left -= sizes.back();
    }
  }
  double sum = 0;
  for (const std::int64_t size : sizes) sum += static_cast<double>(size);
  node.require(sum == static_cast<double>(extent) && std::ranges::min(sizes) >= 0,
               fmt::format("parts that add up to {}", extent), fmt::format("{}", sum));
  return sizes;
}

std::vector<OnnxSlice> slices_of(const OnnxNodeView& node) {
  const std::vector<std::int64_t> starts = node.integers("starts", 1);
  const std::vector<std::int64_t> ends = node.integers("ends", 2);
  std::vector<std::int64_t> axes = node.integers("axes", 3), steps = node.integers("steps", 4);
  if (axes.empty()) {
    axes.resize(starts.size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  if (steps.empty()) steps.assign(starts.size(), 1);
  node.require(
      ends.size() == starts.size() && axes.size() == starts.size() && steps.size() == starts.size(),
      fmt::format("{} ends, axes and steps, as there are starts", starts.size()),
      fmt::format("{}, {} and {}", ends.size(), axes.size(), steps.size()));
  std::vector<OnnxSlice> slices;
  for (const std::int64_t extent : node.shape(0)) slices.push_back({0, 1, extent});
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::size_t axis = node.axis(axes[i], node.rank(0));
    const std::int64_t extent = node.shape(0)[axis], step = steps[i];
    node.require(step != 0 && step != std::numeric_limits<std::int64_t>::min(),
                 "a step other than 0", fmt::format("{}", step));
    const auto clamped = [&](std::int64_t at, std::int64_t least, std::int64_t most) {
      return std::clamp(at < 0 ? at + extent : at, least, most);
    };
    OnnxSlice& part = slices[axis];
    part.step = step;
    part.start = step > 0 ? clamped(starts[i], 0, extent)
                          : clamped(starts[i], 0, std::max<std::int64_t>(extent - 1, 0));
    const std::int64_t end =
        step > 0 ? clamped(ends[i], 0, extent) : clamped(ends[i], -1, extent - 1);
    const std::int64_t way = step > 0 ? end - part.start : part.start - end;
    const std::int64_t stride = step > 0 ? step : -step;
    part.count = way <= 0 || extent == 0 ? 0 : (way - 1) / stride + 1;
  }
  return slices;
}

std::span<const OnnxOp> onnx_layout_ops() { return kOps; }

}  // namespace placer
