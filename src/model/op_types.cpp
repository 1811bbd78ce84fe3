#include "placer/model/op_types.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

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
// Lower case, without underscores and a dimension behind it; ours.
constexpr std::array kSpellings = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"add", "add"},
    {"averagepool", "avg_pool"},
    {"avgpool", "avg_pool"},
    {"batchnorm", "batch_norm"},
    {"batchnormalization", "batch_norm"},
    {"concat", "concat"},
    {"conv", "conv2d"},
    {"dropout", "dropout"},
    {"embedding", "gather"},
    {"gelu", "gelu"},
    {"gemm", "matmul"},
    {"layernorm", "layer_norm"},
    {"layernormalization", "layer_norm"},
    {"linear", "matmul"},
    {"matmul", "matmul"},
    {"maxpool", "max_pool"},
    {"mul", "mul"},
    {"relu", "relu"},
    {"sigmoid", "sigmoid"},
    {"silu", "silu"},
    {"softmax", "softmax"},
    {"tanh", "tanh"},
});
constexpr std::string_view kBackward = "_backward";

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

std::string plain_type(std::string_view op_type) {
  std::string plain;
  for (const char letter : op_type) {
    if (letter != '_') plain += lower(letter);
  }
  return plain;
}

}  // namespace

std::string our_type(std::string_view op_type) {
  std::string plain = plain_type(op_type);
  for (const std::string_view dimension : {"1d", "2d", "3d"}) {
    if (plain.ends_with(dimension)) plain.resize(plain.size() - dimension.size());
  }
  const auto row = std::ranges::find(kSpellings, std::string_view(plain),
                                     &std::pair<std::string_view, std::string_view>::first);
  return std::string(row == kSpellings.end() ? op_type : row->second);
}

bool counts_as_product(std::string_view op_type) {
  if (op_type.ends_with(kBackward)) op_type.remove_suffix(kBackward.size());
  const std::string plain = plain_type(op_type);
  return std::ranges::find(kProducts, std::string_view(plain)) != kProducts.end();
}

}  // namespace placer
