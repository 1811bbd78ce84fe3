#pragma once

#include <string_view>

namespace placer {

/// True for convolutions and matrix products and their backward ops, in our own spelling ("conv2d",
/// "matmul_backward") and in ONNX's ("Conv", "Gemm"): their flops are 2 x multiply-adds, the figure
/// that papers quote. Other types' flops are counted apart.
bool counts_as_product(std::string_view op_type);

}  // namespace placer
