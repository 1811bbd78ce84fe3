#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "placer/base/names.hpp"

namespace placer {

/// What an op does: arithmetic, and traffic with its device's memory.
struct Work {
  double flops = 0;
  double bytes = 0;

  Work& operator+=(const Work& other) {
    flops += other.flops;
    bytes += other.bytes;
    return *this;
  }
};

// The one place for the costs of ops. Counts are of elements; products count 2 flops for each
// multiply-add; views (reshape, split of a packed tensor, transpose folded into its reader) are
// free.

/// Groups share the channels out: `input_channels` are those of the whole input.
constexpr double convolution_flops(double outputs, double input_channels, double groups,
                                   double window) {
  return 2 * outputs * (input_channels / groups) * window;
}
/// Each input element is spread over the window, into `output_channels / groups` channels.
constexpr double transposed_convolution_flops(double inputs, double output_channels, double groups,
                                              double window) {
  return 2 * inputs * (output_channels / groups) * window;
}
/// A matrix product (Gemm, MatMul, batched or not): `inner` multiply-adds for each output.
constexpr double product_flops(double outputs, double inner) { return 2 * outputs * inner; }
/// Scores and weighted values of one head after another, without the softmax between.
constexpr double attention_product_flops(double heads, double queries, double keys, double width) {
  return 2 * product_flops(heads * queries * keys, width);
}
/// The products of one time step: all `gates` of the input and of the last output.
constexpr double recurrent_product_flops(double batch, double gates, double inputs, double hidden) {
  return product_flops(batch * gates * hidden, inputs + hidden);
}
inline constexpr double kLstmGates = 4, kGruGates = 3;
/// Gate functions and the state's update of an LSTM cell or a GRU cell, per hidden unit.
inline constexpr double kLstmFlops = 25, kGruFlops = 20;

inline constexpr double kSoftmaxFlops = 5, kLayerNormFlops = 8, kBatchNormFlops = 2;
inline constexpr double kGeluFlops = 8, kSigmoidFlops = 4, kTanhFlops = 5, kSiluFlops = 5;
inline constexpr double kRmsNormFlops = 4, kDropoutFlops = 2, kRotaryFlops = 6;

constexpr double pool_flops(double outputs, double window) { return outputs * window; }
/// A lookup moves the rows that it finds and the indices, never the table.
constexpr double gather_bytes(double output_bytes, double index_bytes) {
  return output_bytes + index_bytes;
}

/// What a backward op reads of its forward op's tensors.
enum class Stash { kNothing, kInput, kInputs, kOutput };

/// By our own op type ("conv2d"): `kInput` the data input of convolutions, norms, max pools, gelu
/// and a product with weights; `kInputs` both factors of a product or a multiplication; `kOutput`
/// of relu, sigmoid, tanh and softmax; else nothing (additions, concats, views, average pools).
Stash stash_of(std::string_view op_type);

/// What one step of gradient descent does for each weight, and what it keeps between steps.
struct UpdateRule {
  std::string_view name;     // in flags
  std::string_view op_type;  // "sgd_momentum_update"
  double flops_per_weight;
  double traffic;            // bytes moved for each byte of weights
  std::int64_t state_bytes;  // kept for each byte of weights
};

inline constexpr std::array kUpdateRules = std::to_array<UpdateRule>({
    {"sgd", "sgd_update", 2, 3, 0},
    {"momentum", "sgd_momentum_update", 4, 5, 1},
    {"adam", "adam_update", 12, 7, 2},
});

/// One of the update rules, as an option or a flag chooses it.
using TrainingRule = TableRow<kUpdateRules>;

}  // namespace placer
