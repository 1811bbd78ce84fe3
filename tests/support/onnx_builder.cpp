#include "support/onnx_builder.hpp"

#include <bit>

namespace placer::testing {
namespace {

WireMessage value_info(const std::string& name, const OnnxBuilder::Shape& shape, int type) {
  WireMessage extents;
  for (const std::int64_t extent : shape) {
    WireMessage dim;
    if (extent < 0) {
      dim.text(2, "batch");
    } else {
      dim.number(1, extent);
    }
    extents.message(1, dim);
  }
  WireMessage tensor, outer, info;
  tensor.number(1, type).message(2, extents);
  outer.message(1, tensor);
  return info.text(1, name).message(2, outer);
}

WireMessage tensor(const std::string& name, const OnnxBuilder::Shape& shape, int type) {
  WireMessage message;
  for (const std::int64_t extent : shape) message.number(1, extent);
  return message.number(2, type).text(8, name);
}

}  // namespace

void WireMessage::varint(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>((value & 0x7f) | 0x80);
  bytes_ += static_cast<char>(value);
}

WireMessage& WireMessage::number(int field, std::int64_t value) {
  varint(static_cast<std::uint64_t>(field) << 3);
  varint(static_cast<std::uint64_t>(value));
  return *this;
}

WireMessage& WireMessage::real(int field, float value) {
  varint((static_cast<std::uint64_t>(field) << 3) | 5);
  const auto bits = std::bit_cast<std::uint32_t>(value);
  for (int shift = 0; shift < 32; shift += 8) bytes_ += static_cast<char>((bits >> shift) & 0xff);
  return *this;
}

WireMessage& WireMessage::text(int field, std::string_view bytes) {
  varint((static_cast<std::uint64_t>(field) << 3) | 2);
  varint(bytes.size());
  bytes_ += bytes;
  return *this;
}

OnnxBuilder& OnnxBuilder::import_opset(const std::string& domain, std::int64_t version) {
  WireMessage import;
  model_.message(8, import.text(1, domain).number(2, version));
  return *this;
}

OnnxBuilder& OnnxBuilder::input(const std::string& name, const Shape& shape, int type) {
  graph_.message(11, value_info(name, shape, type));
  return *this;
}

OnnxBuilder& OnnxBuilder::output(const std::string& name) {
  WireMessage info;
  graph_.message(12, info.text(1, name));
  return *this;
}

OnnxBuilder& OnnxBuilder::info(const std::string& name, const Shape& shape, int type) {
  graph_.message(13, value_info(name, shape, type));
  return *this;
}

OnnxBuilder& OnnxBuilder::weights(const std::string& name, const Shape& shape, int type) {
  graph_.message(5, tensor(name, shape, type).number(14, 1));
  return *this;
}

OnnxBuilder& OnnxBuilder::integers(const std::string& name,
                                   const std::vector<std::int64_t>& values) {
  WireMessage message = tensor(name, {static_cast<std::int64_t>(values.size())}, kInt64);
  for (const std::int64_t value : values) message.number(7, value);
  graph_.message(5, message);
  return *this;
}

OnnxBuilder& OnnxBuilder::reals(const std::string& name, const std::vector<float>& values) {
  WireMessage message = tensor(name, {static_cast<std::int64_t>(values.size())}, kFloat);
  for (const float value : values) message.real(4, value);
  graph_.message(5, message);
  return *this;
}

OnnxBuilder& OnnxBuilder::truth(const std::string& name, bool value) {
  graph_.message(5, tensor(name, {}, kBool).number(5, value ? 1 : 0));
  return *this;
}

WireMessage OnnxBuilder::node_of(const std::string& op, const Names& inputs, const Names& outputs,
                                 const Attributes& attributes) {
  const std::size_t colon = op.find(':');
  const bool has_domain = colon != std::string::npos;
  WireMessage message;
  for (const std::string& name : inputs) message.text(1, name);
  for (const std::string& name : outputs) message.text(2, name);
  message.text(4, has_domain ? op.substr(colon + 1) : op);
  if (has_domain) message.text(7, op.substr(0, colon));
  for (const WireMessage& each : attributes) message.message(5, each);
  return message;
}

OnnxBuilder& OnnxBuilder::node(const std::string& op, const Names& inputs, const Names& outputs,
                               const Attributes& attributes) {
  graph_.message(1, node_of(op, inputs, outputs, attributes));
  return *this;
}

OnnxBuilder& OnnxBuilder::node(const WireMessage& whole) {
  graph_.message(1, whole);
  return *this;
}

OnnxBuilder& OnnxBuilder::function(const std::string& name, const Names& inputs,
                                   const Names& outputs, const std::vector<WireMessage>& nodes) {
  WireMessage message;
  message.text(1, name).text(10, "local");
  for (const std::string& each : inputs) message.text(4, each);
  for (const std::string& each : outputs) message.text(5, each);
  for (const WireMessage& each : nodes) message.message(7, each);
  model_.message(25, message);
  return *this;
}

std::string OnnxBuilder::bytes() const {
  WireMessage first, graph;
  first.number(1, 8);
  graph.message(7, graph_);
  return first.bytes() + graph.bytes() + model_.bytes();
}

WireMessage attribute(const std::string& name, std::int64_t value) {
  WireMessage message;
  return message.text(1, name).number(3, value).number(20, 2);
}

WireMessage attribute(const std::string& name, const std::vector<std::int64_t>& values) {
  WireMessage message;
  message.text(1, name);
  for (const std::int64_t value : values) message.number(8, value);
  return message.number(20, 7);
}

WireMessage text_attribute(const std::string& name, const std::string& text) {
  WireMessage message;
  return message.text(1, name).text(4, text).number(20, 3);
}

WireMessage graph_attribute(const std::string& name) {
  WireMessage message;
  return message.text(1, name).text(6, "").number(20, 5);
}

WireMessage attribute_of_caller(const std::string& name, const std::string& callers) {
  WireMessage message;
  return message.text(1, name).text(21, callers);
}

std::string mixed_onnx_model() {
  OnnxBuilder model(18);
  model.import_opset("local", 1).import_opset("com.microsoft", 1);
  model.input("x", {2, 3, 8, 8}).input("ids", {2, 5}, OnnxBuilder::kInt64);
  model.weights("w", {4, 3, 3, 3}).weights("table", {700, 400}).weights("r", {1, 12, 3});
  model.weights("wi", {1, 12, 400}).integers("minus", {-1}).integers("zero", {0});
  model.integers("start", {1}).integers("end", {4}).reals("scales", {1, 1, 2, 2});
  model.node("Conv", {"x", "w"}, {"c"}, {attribute("pads", {1, 1, 1, 1})});
  model.node("MaxPool", {"c"}, {"m"},
             {attribute("kernel_shape", {2, 2}), attribute("strides", {2, 2})});
  model.node("Resize", {"m", "", "scales"}, {"big"});
  model.node("Add", {"big", "c"}, {"sum"}).node("Shape", {"sum"}, {"shape"});
  model.node("Gather", {"shape", "zero"}, {"batch"});
  model.node("Concat", {"batch", "minus"}, {"flat_shape"}, {attribute("axis", 0)});
  model.node("Reshape", {"sum", "flat_shape"}, {"flat"});
  model.node("Slice", {"flat", "start", "end", "start"}, {"part"});
  model.node("Split", {"part"}, {"left", "right"},
             {attribute("axis", 0), attribute("num_outputs", 2)});
  model.node("local:Twice", {"left"}, {"twice"});
  model.function("Twice", {"a"}, {"b"}, {OnnxBuilder::node_of("Add", {"a", "a"}, {"b"})});
  model.node("Gather", {"table", "ids"}, {"rows"});
  model.node("Transpose", {"rows"}, {"steps"}, {attribute("perm", {1, 0, 2})});
  model.node("LSTM", {"steps", "wi", "r"}, {"states", "", "last"}, {attribute("hidden_size", 3)});
  model.node("Transpose", {"table"}, {"turned"}).node("MatMul", {"rows", "turned"}, {"logits"});
  model.node("Softmax", {"logits"}, {"p"}).node("ReduceMean", {"p", "minus"}, {"mean"});
  model.node("com.microsoft:BiasGelu", {"twice", "twice"}, {"gelu"});
  model.node("Einsum", {"rows", "rows"}, {"e"}, {text_attribute("equation", "bij,bkj->bik")});
  return model.output("gelu").output("mean").output("states").bytes();
}

}  // namespace placer::testing
