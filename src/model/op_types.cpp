#include "placer/model/op_types.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace placer {
namespace {

// Lower case, without underscores.
constexpr std::array kProducts = std::to_array<std::string_view>(
    {"conv", "conv1d", "conv2d", "conv3d", "depthwiseconv2d", "convtranspose", "convtranspose2d",
     "conv2dtranspose", "convinteger", "qlinearconv", "fusedconv", "deformconv", "matmul",
     "batchmatmul", "matmulinteger", "qlinearmatmul", "fusedmatmul", "gemm", "fusedgemm", "linear",
     "einsum",
     // Products but for a few percent.
     "attention", "lstm", "gru", "rnn"});
constexpr std::string_view kBackward = "_backward";

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

}  // namespace

bool counts_as_product(std::string_view op_type) {
  if (op_type.ends_with(kBackward)) op_type.remove_suffix(kBackward.size());
  std::string plain;
  for (const char letter : op_type) {
    if (letter != '_') plain += lower(letter);
  }
  return std::ranges::find(kProducts, std::string_view(plain)) != kProducts.end();
}

}  // namespace placer
