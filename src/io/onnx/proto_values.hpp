#pragma once

#include <optional>
#include <vector>

#include "io/onnx/messages.hpp"
#include "io/onnx/model.hpp"

namespace placer {

template <class Result, class Field>
std::vector<Result> numbers(const Field& field) {
  return std::vector<Result>(field.begin(), field.end());
}

/// The elements of a tensor whose data is not in another file; empty for types of which no shape is
/// made.
std::optional<OnnxValues> values_in(const onnx::TensorProto& tensor);

}  // namespace placer
