#pragma once

#include <string>
#include <string_view>

namespace placer {

/// True for convolutions and matrix products and their backward ops, in our own spelling ("conv2d",
/// "matmul_backward") and in ONNX's ("Conv", "Gemm"): their flops are 2 x multiply-adds, the figure
/// that papers quote. Other types' flops are counted apart.
bool counts_as_product(std::string_view op_type);

/// Our own spelling of what other programs call a type of layer: "batch_norm" for "BatchNorm2d",
/// "relu" for "ReLU"; a type that it does not know comes back as it is.
std::string our_type(std::string_view op_type);

}  // namespace placer
