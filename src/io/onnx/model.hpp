#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "io/importers/source.hpp"

namespace placer {

using OnnxShape = std::vector<std::int64_t>;
/// The elements of a small tensor, row by row: of integers and truth values, or of other numbers.
using OnnxValues = std::variant<std::vector<std::int64_t>, std::vector<double>>;

/// An element type: a row of ONNX's enumeration TensorProto.DataType.
struct OnnxType {
  std::int32_t code;
  std::string_view name;  // in our own spelling: "float32"
  std::int64_t bits;
  bool is_integer;  // or a truth value
};
inline constexpr std::int32_t kOnnxFloat = 1, kOnnxUint8 = 2, kOnnxInt8 = 3, kOnnxInt32 = 6,
                              kOnnxInt64 = 7, kOnnxBool = 9, kOnnxDouble = 11;
/// Null for a code that is no number of a known size.
const OnnxType* find_onnx_type(std::int64_t code);
/// "float32", "element type 8"
std::string onnx_type_name(std::int64_t code);

/// Tensors of more elements are only known by their shapes.
inline constexpr std::int64_t kMostOnnxValues = 8192;

/// An initializer, or the tensor of an attribute.
struct OnnxTensor {
  std::string name;
  std::int32_t type = 0;
  OnnxShape shape;
  std::shared_ptr<const OnnxValues> values;  // null: not there, or too many
  std::string_view without_values;           // why, for messages
};

/// Where the file has a node, or an attribute of it.
struct OnnxOrigin {
  std::size_t function = kGraph;  // that it is in
  std::size_t node = 0, attribute = 0;
  static constexpr std::size_t kGraph = static_cast<std::size_t>(-1);
};

struct OnnxAttribute {
  std::string name;
  OnnxOrigin origin;
  std::string reference;           // in a function: the attribute of its caller to take instead
  std::vector<std::int64_t> ints;  // one for an integer
  std::vector<double> reals;       // one for a number
  std::vector<std::string> texts;  // one for a string
  std::shared_ptr<const OnnxTensor> tensor;
  bool is_graph = false;
};

struct OnnxNode {
  std::string name, op, domain;              // the standard domain is ""
  std::int64_t opset = 0;                    // of its domain; 0: the model does not say
  std::vector<std::string> inputs, outputs;  // "": left out
  std::vector<OnnxAttribute> attributes;
  std::string module;  // as PyTorch's exporter says it; empty: it does not
  OnnxOrigin origin;

  /// What the file calls it: its name, else its first output.
  const std::string& title() const;
  /// "Conv", "com.microsoft.FusedConv"
  std::string full_op() const;
  /// "node 'conv1' (Conv, opset 17)"
  std::string place() const;
};

/// What the file says of a value: its element type and its shape, perhaps with unknown extents.
struct OnnxValueInfo {
  std::string name;
  std::int32_t type = 0;  // 0: not said, or no tensor
  bool has_shape = false;
  OnnxShape shape;                   // -1: unknown
  std::vector<std::string> symbols;  // names of unknown extents, "" where there is none

  bool is_fixed() const;
  /// "batch x 3 x ? x 224"
  std::string text() const;
};

struct OnnxFunction {
  std::string domain, name;
  std::vector<std::string> inputs, outputs;
  std::vector<OnnxNode> nodes;
  bool has_defaults = false;  // of attributes, which are not read
};

struct OnnxModel {
  std::vector<OnnxNode> nodes;
  std::vector<OnnxTensor> initializers;
  std::vector<OnnxValueInfo> inputs, outputs, infos;
  std::vector<OnnxFunction> functions;
  std::size_t training_infos = 0;
};

/// Throws Error: this is a build without protobuf.
[[noreturn]] void fail_without_protobuf(const ImportSource& source);

/// Throws Error for what is no ONNX model, and in builds without protobuf.
OnnxModel read_onnx_model(const ImportSource& source);

/// Replaces the calls of the model's own functions by their nodes. Throws Error for functions that
/// call themselves and for more than a million nodes.
void inline_functions(const ImportSource& source, OnnxModel& model);

/// True where `text` begins like a model that a protobuf writer wrote.
bool begins_like_onnx(std::string_view text);

/// "2x3x4"; "a scalar" for no extents.
std::string shape_text(const OnnxShape& shape);

}  // namespace placer
