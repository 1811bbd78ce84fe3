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

TEST_CASE("Other programs' names of layers are ours, with or without a dimension") {
  CHECK(our_type("BatchNorm2d") == "batch_norm");
  CHECK(our_type("ReLU") == "relu");
  CHECK(our_type("Conv2d") == "conv2d");
  CHECK(our_type("max_pool") == "max_pool");
  CHECK(our_type("EmuBidirLSTM") == "EmuBidirLSTM");
}

}  // namespace
}  // namespace placer
