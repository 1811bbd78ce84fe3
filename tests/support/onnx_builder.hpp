#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace placer::testing {

/// A message of protobuf's wire format, field by field.
class WireMessage {
 public:
  WireMessage& number(int field, std::int64_t value);
  WireMessage& real(int field, float value);
  WireMessage& text(int field, std::string_view bytes);
  WireMessage& message(int field, const WireMessage& inner) { return text(field, inner.bytes_); }
  const std::string& bytes() const { return bytes_; }

 private:
  void varint(std::uint64_t value);

  std::string bytes_;
};

/// Builds ONNX files without any library of ONNX's.
class OnnxBuilder {
 public:
  using Shape = std::vector<std::int64_t>;
  using Names = std::vector<std::string>;
  using Attributes = std::vector<WireMessage>;
  static constexpr int kFloat = 1, kInt32 = 6, kInt64 = 7, kBool = 9, kHalf = 10, kInt4 = 22;

  explicit OnnxBuilder(std::int64_t opset = 17) { import_opset("", opset); }
  OnnxBuilder& import_opset(const std::string& domain, std::int64_t version);

  /// An extent of -1 is unknown and called "batch".
  OnnxBuilder& input(const std::string& name, const Shape& shape, int type = kFloat);
  OnnxBuilder& output(const std::string& name);
  /// What the file claims of a value in the middle.
  OnnxBuilder& info(const std::string& name, const Shape& shape, int type = kFloat);
  /// An initializer whose data is in another file.
  OnnxBuilder& weights(const std::string& name, const Shape& shape, int type = kFloat);
  OnnxBuilder& integers(const std::string& name, const std::vector<std::int64_t>& values);
  OnnxBuilder& reals(const std::string& name, const std::vector<float>& values);
  /// A single truth value.
  OnnxBuilder& truth(const std::string& name, bool value);
  /// An operator of another domain is called "domain:Op".
  OnnxBuilder& node(const std::string& op, const Names& inputs, const Names& outputs,
                    const Attributes& attributes = {});
  /// A whole node, as node_of makes it.
  OnnxBuilder& node(const WireMessage& whole);
  /// A function of the domain "local" whose nodes are `node_of`'s.
  OnnxBuilder& function(const std::string& name, const Names& inputs, const Names& outputs,
                        const std::vector<WireMessage>& nodes);

  std::string bytes() const;

  static WireMessage node_of(const std::string& op, const Names& inputs, const Names& outputs,
                             const Attributes& attributes = {});

 private:
  WireMessage graph_, model_;
};

WireMessage attribute(const std::string& name, std::int64_t value);
WireMessage attribute(const std::string& name, const std::vector<std::int64_t>& values);
WireMessage text_attribute(const std::string& name, const std::string& text);
/// One that holds a graph, such as a branch.
WireMessage graph_attribute(const std::string& name);
/// In a function: the caller's attribute of that name.
WireMessage attribute_of_caller(const std::string& name, const std::string& callers);

/// A model of opset 18 with shape arithmetic, views, windows, products, a function, quantized
/// weights and shared weights.
std::string mixed_onnx_model();

}  // namespace placer::testing
