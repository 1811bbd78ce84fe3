#include "placer/model/op_types.hpp"

#include <catch2/catch.hpp>

namespace placer {
namespace {

TEST_CASE("Convolutions and matrix products count as products in either spelling, backward too") {
  for (const char* type : {"conv2d", "conv2d_backward", "matmul", "matmul_backward", "Conv",
                           "ConvTranspose", "MatMul", "Gemm", "QLinearConv", "conv_transpose"}) {
    CAPTURE(type);
    CHECK(counts_as_product(type));
  }
}

TEST_CASE("Element-wise ops, reductions and unknown types do not count as products") {
  for (const char* type : {"", "batch_norm", "Relu", "add", "concat_backward", "_backward",
                           "softmax_cross_entropy", "sgd_momentum_update", "convert", "Mul"}) {
    CAPTURE(type);
    CHECK_FALSE(counts_as_product(type));
  }
}

}  // namespace
}  // namespace placer
