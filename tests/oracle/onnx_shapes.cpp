// `placer_onnx_oracle MODEL STRIPPED`: writes MODEL without the shapes of its inner values to
// STRIPPED and prints what libonnx's shape inference makes of those: a line "BYTES NAME" for each
// value of known extents. A program of its own, as libonnx brings its own classes of messages.
#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <optional>

namespace {

std::int64_t element_bytes(std::int32_t type) {
  using onnx::TensorProto;
  switch (type) {
    case TensorProto::DOUBLE:
    case TensorProto::INT64:
      return 8;
    case TensorProto::FLOAT:
    case TensorProto::INT32:
      return 4;
    case TensorProto::FLOAT16:
      return 2;
    case TensorProto::BOOL:
    case TensorProto::INT8:
    case TensorProto::UINT8:
      return 1;
    default:
      return 0;
  }
}

std::optional<std::int64_t> bytes_of(const onnx::ValueInfoProto& value) {
  const auto& tensor = value.type().tensor_type();
  if (!value.type().has_tensor_type() || !tensor.has_shape()) return std::nullopt;
  std::int64_t bytes = element_bytes(tensor.elem_type());
  for (const auto& extent : tensor.shape().dim()) {
    if (!extent.has_dim_value()) return std::nullopt;
    bytes *= extent.dim_value();
  }
  return bytes > 0 ? std::optional(bytes) : std::nullopt;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return 1;
  onnx::ModelProto model;
  std::ifstream file(arguments[1], std::ios::binary);
  if (!model.ParseFromIstream(&file)) return 1;
  model.mutable_graph()->clear_value_info();
  std::ofstream stripped(arguments[2], std::ios::binary);
  if (!model.SerializeToOstream(&stripped)) return 1;
  try {
    onnx::shape_inference::InferShapes(model, onnx::OpSchemaRegistry::Instance(), {false, 0, true});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "libonnx: %s\n", error.what());
    return 2;
  }
  for (const onnx::ValueInfoProto& value : model.graph().value_info()) {
    if (const std::optional<std::int64_t> bytes = bytes_of(value)) {
      std::printf("%lld %s\n", static_cast<long long>(*bytes), value.name().c_str());
    }
  }
}
