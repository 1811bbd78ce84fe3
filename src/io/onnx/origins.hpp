#pragma once

#include <optional>
#include <vector>

#include "io/onnx/model.hpp"
#include "io/onnx/shapes.hpp"
#include "placer/model/graph.hpp"

namespace placer {

/// By step: the op that it became, or whose output it views; empty where it was folded away.
using OpsOfSteps = std::vector<std::optional<OpId>>;

/// Fills `Op::nodes` and `Op::params`, so that each node and each initializer of the model is one
/// op's. What was folded, and initializers, go to the first op that reads them, however far; what
/// no op reads, to the first.
void set_origins(const OnnxModel& model, const ShapedOnnx& shaped, OpsOfSteps op_of_step,
                 std::vector<Op>& ops);

}  // namespace placer
