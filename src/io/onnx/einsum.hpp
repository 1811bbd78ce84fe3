#pragma once

#include "io/onnx/node.hpp"

namespace placer {

struct Einsum {
  OnnxShape output;
  double flops = 0;
};

/// What an Einsum node computes: of two inputs a product over all letters; of more, one such
/// product for each further input. Throws Error for an equation that does not go with the inputs.
Einsum read_einsum(const OnnxNodeView& node);

}  // namespace placer
