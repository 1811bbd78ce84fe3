#include "io/onnx/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace placer {
namespace {

constexpr std::array kTypes = std::to_array<OnnxType>({
    {1, "float32", 32, false},
    {2, "uint8", 8, true},
    {3, "int8", 8, true},
    {4, "uint16", 16, true},
    {5, "int16", 16, true},
    {6, "int32", 32, true},
    {7, "int64", 64, true},
    {9, "bool", 8, true},
    {10, "float16", 16, false},
    {11, "float64", 64, false},
    {12, "uint32", 32, true},
    {13, "uint64", 64, true},
    {14, "complex64", 64, false},
    {15, "complex128", 128, false},
    {16, "bfloat16", 16, false},
    {17, "float8e4m3fn", 8, false},
    {18, "float8e4m3fnuz", 8, false},
    {19, "float8e5m2", 8, false},
    {20, "float8e5m2fnuz", 8, false},
    {21, "uint4", 4, true},
    {22, "int4", 4, true},
    {23, "float4e2m1", 4, false},
    {24, "float8e8m0", 8, false},
});

}  // namespace

const OnnxType* find_onnx_type(std::int64_t code) {
  const auto at =
      std::ranges::find_if(kTypes, [&](const OnnxType& type) { return type.code == code; });
  return at == kTypes.end() ? nullptr : &*at;
}

std::string onnx_type_name(std::int64_t code) {
  const OnnxType* type = find_onnx_type(code);
  return type != nullptr ? std::string(type->name) : fmt::format("element type {}", code);
}

std::string OnnxNode::full_op() const { return domain.empty() ? op : domain + "." + op; }

const std::string& OnnxNode::title() const {
  return name.empty() && !outputs.empty() ? outputs.front() : name;
}

std::string OnnxNode::place() const {
  return fmt::format("node '{}' ({}, opset {})", one_line(title(), 100), one_line(full_op(), 60),
                     opset);
}

bool OnnxValueInfo::is_fixed() const {
  return has_shape && std::ranges::all_of(shape, [](std::int64_t extent) { return extent >= 0; });
}

std::string OnnxValueInfo::text() const {
  if (!has_shape) return "no shape";
  std::string text;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::string unknown = symbols[i].empty() ? "?" : one_line(symbols[i], 30);
    text += (i > 0 ? " x " : "") + (shape[i] >= 0 ? fmt::format("{}", shape[i]) : unknown);
    if (text.size() > 150) return text + " x ...";
  }
  return text.empty() ? "a scalar" : text;
}

std::string shape_text(const OnnxShape& shape) {
  if (shape.empty()) return "a scalar";
  std::string text;
  for (const std::int64_t extent : shape) {
    text += fmt::format("{}{}", text.empty() ? "" : "x", extent);
    if (text.size() > 150) return text + "x...";
  }
  return text;
}

void fail_without_protobuf(const ImportSource& source) {
  source.fail("",
              "a program built with protobuf and onnx.proto (Debian: libprotobuf-dev "
              "protobuf-compiler libonnx-dev) to read ONNX",
              "one built without");
}

bool begins_like_onnx(std::string_view text) {
  // Field 1 (ir_version) as a small number, then a known field of a ModelProto.
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (text.size() < 3 || byte(0) != 0x08 || byte(1) == 0 || byte(1) > 100) return false;
  constexpr std::string_view kTags = "\x12\x1a\x22\x28\x32\x3a\x42\x72\xa2\xca";
  return kTags.find(text[2]) != std::string_view::npos;
}

}  // namespace placer
