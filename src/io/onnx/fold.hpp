#pragma once

#include <cstddef>
#include <vector>

#include "io/onnx/node.hpp"

namespace placer {

/// For each element of a tensor of shape `to`, which element of `from` broadcasts there.
std::vector<std::size_t> broadcast_sources(const OnnxShape& to, const OnnxShape& from);

}  // namespace placer
