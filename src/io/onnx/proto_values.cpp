#ifdef PLACER_ONNX
#include "io/onnx/proto_values.hpp"

#include <bit>
#include <cstring>
#include <string_view>

namespace placer {
namespace {

/// Little-endian numbers of a type, one after another.
template <class Number, class Result>
std::vector<Result> raw_numbers(std::string_view bytes) {
  static_assert(std::endian::native == std::endian::little);
  std::vector<Result> numbers;
  for (std::size_t at = 0; at + sizeof(Number) <= bytes.size(); at += sizeof(Number)) {
    Number number{};
    std::memcpy(&number, bytes.data() + at, sizeof(Number));
    numbers.push_back(static_cast<Result>(number));
  }
  return numbers;
}

/// Empty for types of which no shape is made.
std::optional<OnnxValues> raw_values(std::int32_t type, std::string_view bytes) {
  using Integers = std::int64_t;
  switch (type) {
    case kOnnxFloat:
      return raw_numbers<float, double>(bytes);
    case kOnnxDouble:
      return raw_numbers<double, double>(bytes);
    case kOnnxInt64:
      return raw_numbers<std::int64_t, Integers>(bytes);
    case kOnnxInt32:
      return raw_numbers<std::int32_t, Integers>(bytes);
    case kOnnxInt8:
      return raw_numbers<std::int8_t, Integers>(bytes);
    case kOnnxUint8:
    case kOnnxBool:
      return raw_numbers<std::uint8_t, Integers>(bytes);
    default:
      return std::nullopt;
  }
}

std::optional<OnnxValues> typed_values(const onnx::TensorProto& tensor) {
  switch (tensor.data_type()) {
    case kOnnxFloat:
      return numbers<double>(tensor.float_data());
    case kOnnxDouble:
      return numbers<double>(tensor.double_data());
    case kOnnxInt64:
      return numbers<std::int64_t>(tensor.int64_data());
    case kOnnxInt32:
    case kOnnxInt8:
    case kOnnxUint8:
    case kOnnxBool:
      return numbers<std::int64_t>(tensor.int32_data());
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<OnnxValues> values_in(const onnx::TensorProto& tensor) {
  return tensor.has_raw_data() ? raw_values(tensor.data_type(), tensor.raw_data())
                               : typed_values(tensor);
}

}  // namespace placer
#endif
