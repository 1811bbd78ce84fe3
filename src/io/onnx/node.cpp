#include "io/onnx/node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace placer {

double element_count(const OnnxShape& shape) {
  double count = 1;
  for (const std::int64_t extent : shape) count *= static_cast<double>(extent);
  return count;
}

double value_bytes(const OnnxValue& value, const ImportSource& source) {
  const OnnxType* type = find_onnx_type(value.type);
  if (type == nullptr) {
    source.fail(fmt::format("value '{}'", one_line(value.name, 100)), "numbers of a known size",
                onnx_type_name(value.type));
  }
  return std::ceil(element_count(value.shape) * static_cast<double>(type->bits) / 8);
}

const OnnxValue& OnnxNodeView::input(std::size_t i) const {
  if (has_input(i)) return *inputs_[i];
  fail(fmt::format("an input {}", i), "none");
}

const OnnxValue& OnnxNodeView::output(std::size_t i) const {
  if (has_output(i)) return *outputs_[i];
  fail(fmt::format("an output {}", i), "none");
}

std::int64_t OnnxNodeView::dim(std::size_t i, std::int64_t at) const {
  return shape(i)[axis(at, rank(i))];
}

double OnnxNodeView::input_bytes() const {
  double bytes = 0;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const auto here = inputs_.begin() + static_cast<std::ptrdiff_t>(i);
    const bool again = std::find(inputs_.begin(), here, *here) != here;
    if (*here != nullptr && !again) bytes += value_bytes(**here, source_);
  }
  return bytes;
}

double OnnxNodeView::output_bytes() const {
  double bytes = 0;
  for (const OnnxValue* value : outputs_) {
    if (value != nullptr) bytes += value_bytes(*value, source_);
  }
  return bytes;
}

const std::vector<std::int64_t>& OnnxNodeView::integers(std::size_t i) const {
  const OnnxValue& value = input(i);
  if (value.values == nullptr) {
    std::string how;
    for (const OnnxValue* made : outputs_) {
      if (made == nullptr || !how.empty()) continue;
      how = fmt::format(" (--shape {}=1x3, with its own extents, says what comes out)",
                        one_line(made->name, 100));
    }
    fail(fmt::format("the value of its input '{}', on which a shape depends",
                     one_line(value.name, 100)),
         fmt::format("that {}{}", value.without_values, how));
  }
  const auto* found = std::get_if<std::vector<std::int64_t>>(value.values.get());
  if (found == nullptr) {
    fail(fmt::format("integers as its input {}", i), onnx_type_name(value.type));
  }
  return *found;
}

std::vector<double> OnnxNodeView::numbers(std::size_t i) const {
  if (const OnnxValues* known = values(i)) {
    return std::visit([](const auto& all) { return std::vector<double>(all.begin(), all.end()); },
                      *known);
  }
  const std::vector<std::int64_t>& whole = integers(i);
  return {whole.begin(), whole.end()};
}

const OnnxAttribute* OnnxNodeView::find(std::string_view attribute) const {
  const auto at = std::ranges::find(node_.attributes, attribute, &OnnxAttribute::name);
  return at == node_.attributes.end() ? nullptr : &*at;
}

std::int64_t OnnxNodeView::integer(std::string_view attribute, std::int64_t standard) const {
  const OnnxAttribute* found = find(attribute);
  return found == nullptr || found->ints.empty() ? standard : found->ints.front();
}

double OnnxNodeView::real(std::string_view attribute, double standard) const {
  const OnnxAttribute* found = find(attribute);
  return found == nullptr || found->reals.empty() ? standard : found->reals.front();
}

std::vector<std::int64_t> OnnxNodeView::integers(std::string_view attribute) const {
  const OnnxAttribute* found = find(attribute);
  return found == nullptr ? std::vector<std::int64_t>() : found->ints;
}

std::vector<double> OnnxNodeView::reals(std::string_view attribute) const {
  const OnnxAttribute* found = find(attribute);
  return found == nullptr ? std::vector<double>() : found->reals;
}

std::string OnnxNodeView::text(std::string_view attribute, std::string_view standard) const {
  const OnnxAttribute* found = find(attribute);
  return found == nullptr || found->texts.empty() ? std::string(standard) : found->texts.front();
}

const OnnxTensor* OnnxNodeView::tensor(std::string_view attribute) const {
  const OnnxAttribute* found = find(attribute);
  return found == nullptr ? nullptr : found->tensor.get();
}

std::vector<std::int64_t> OnnxNodeView::integers(std::string_view attribute, std::size_t i) const {
  if (const OnnxAttribute* found = find(attribute)) return found->ints;
  if (!has_input(i)) return {};
  return integers(i);
}

std::size_t OnnxNodeView::axis(std::int64_t given, std::int64_t rank) const {
  if (given >= -rank && given < rank) {
    return static_cast<std::size_t>(given < 0 ? given + rank : given);
  }
  fail(fmt::format("an axis of {} dimensions", rank), fmt::format("{}", given));
}

void OnnxNodeView::require(bool holds, std::string_view expected, std::string_view found) const {
  if (!holds) fail(expected, found);
}

void OnnxNodeView::require_rank(std::size_t i, std::int64_t least) const {
  if (rank(i) >= least) return;
  fail(fmt::format("at least {} dimensions of input {}", least, i), shape_text(shape(i)));
}

void OnnxNodeView::set(std::size_t i, OnnxShape shape, std::optional<std::int32_t> type) {
  if (!has_output(i)) return;
  OnnxValue& value = *outputs_[i];
  double count = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 0) fail("extents from 0", shape_text(shape));
    count *= static_cast<double>(std::max<std::int64_t>(extent, 1));
  }
  if (count > kMostOnnxElements || shape.size() > 64) {
    fail(fmt::format("at most {} elements", kMostOnnxElements), shape_text(shape));
  }
  if (!value.is_given) value.shape = std::move(shape);
  if (value.type == 0 || !value.is_given) value.type = type ? *type : this->type(0);
  value.is_known = true;
}

void OnnxNodeView::set_values(std::size_t i, OnnxValues values) {
  if (!has_output(i)) return;
  OnnxValue& value = *outputs_[i];
  const std::size_t count = std::visit([](const auto& all) { return all.size(); }, values);
  const bool fits = static_cast<double>(count) == element_count(value.shape);
  require(fits, fmt::format("{} elements as its output 0", shape_text(value.shape)),
          fmt::format("{}", count));
  value.values = std::make_shared<const OnnxValues>(std::move(values));
}

void OnnxNodeView::fail(std::string_view expected, std::string_view found) const {
  source_.fail(node_.place(), expected, found);
}

OnnxShape broadcast(const OnnxNodeView& node, const OnnxShape& a, const OnnxShape& b) {
  const OnnxShape& longer = a.size() >= b.size() ? a : b;
  const OnnxShape& shorter = a.size() >= b.size() ? b : a;
  OnnxShape result = longer;
  for (std::size_t i = 1; i <= shorter.size(); ++i) {
    std::int64_t& extent = result[result.size() - i];
    const std::int64_t other = shorter[shorter.size() - i];
    if (extent == 1) extent = other;
    node.require(other == 1 || other == extent, "shapes that broadcast to one another",
                 shape_text(a) + " and " + shape_text(b));
  }
  return result;
}

OnnxShape broadcast(const OnnxNodeView& node, std::span<const std::size_t> inputs) {
  OnnxShape shape;
  for (const std::size_t i : inputs) shape = broadcast(node, shape, node.shape(i));
  return shape;
}

const OnnxOp* find_onnx_op(std::string_view full_name) {
  static const std::map<std::string_view, const OnnxOp*> ops = [] {
    std::map<std::string_view, const OnnxOp*> all;
    for (const auto family : {onnx_elementwise_ops(), onnx_norm_ops(), onnx_window_ops(),
                              onnx_product_ops(), onnx_sequence_ops(), onnx_layout_ops(),
                              onnx_index_ops(), onnx_reduction_ops(), onnx_microsoft_ops()}) {
      for (const OnnxOp& op : family) all.emplace(op.name, &op);
    }
    return all;
  }();
  const auto at = ops.find(full_name);
  return at == ops.end() ? nullptr : at->second;
}

const OnnxOp& known_onnx_op(const OnnxNode& node, const ImportSource& source) {
  constexpr std::int64_t kNewestOpset = 25;
  const bool has_graph = std::ranges::any_of(node.attributes, &OnnxAttribute::is_graph);
  if (has_graph) {
    source.fail(node.place(), "a model without control flow (exporters can unroll or inline it)",
                "a graph inside a node");
  }
  if (node.opset < 1 || (node.domain.empty() && node.opset > kNewestOpset)) {
    source.fail(node.place(),
                fmt::format("an operator set from 1 to {} of its domain", kNewestOpset),
                node.opset == 0 ? "none" : fmt::format("{}", node.opset));
  }
  if (const OnnxOp* op = find_onnx_op(node.full_op())) return *op;
  source.fail(node.place(), "an operator whose shapes and costs are known",
              fmt::format("'{}'", one_line(node.full_op(), 60)));
}

Work onnx_work(const OnnxOp& op, const OnnxNodeView& node) {
  Work work;
  work.flops = op.flops != nullptr        ? op.flops(node)
               : op.flops_per_element > 0 ? op.flops_per_element * node.output_elements(0)
                                          : 0;
  switch (op.traffic) {
    case OnnxTraffic::kAll:
      work.bytes = node.input_bytes() + node.output_bytes();
      break;
    case OnnxTraffic::kOutputs:
      work.bytes = 2 * node.output_bytes();
      break;
    case OnnxTraffic::kLookup:
      work.bytes = gather_bytes(node.output_bytes(), node.bytes(1));
      break;
  }
  return work;
}

}  // namespace placer
