#pragma once

#include <cstddef>
#include <vector>

#include "io/onnx/node.hpp"

namespace placer {

struct ShapeOverride;

using OnnxValueId = std::size_t;
inline constexpr OnnxValueId kNoOnnxValue = static_cast<OnnxValueId>(-1);

/// A node among the values of its model.
struct OnnxStep {
  const OnnxOp* op = nullptr;
  std::vector<OnnxValueId> inputs, outputs;  // kNoOnnxValue: left out
  Work work;                                 // unless its outputs are constants
  bool is_view = false;                      // output 0 is input 0
};

/// A model whose every shape is known.
struct ShapedOnnx {
  std::vector<OnnxValue> values;     // in the order in which they are made
  std::vector<OnnxStep> steps;       // by node
  std::vector<OnnxValueId> inputs;   // of the graph, without initializers
  std::vector<OnnxValueId> outputs;  // of the graph
  std::vector<OnnxValueId> initializers;
};

/// Shapes from `--shape`, then from the file, then by rule. Throws Error for the first that stays
/// unknown and for what does not go together.
ShapedOnnx shape_onnx(const ImportSource& source, const OnnxModel& model,
                      const std::vector<ShapeOverride>& given);

}  // namespace placer
