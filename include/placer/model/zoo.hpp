#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "placer/model/graph.hpp"

namespace placer {

/// Which ops of a generated graph share a group. `kLayer`: a convolution with its batch norm and
/// activation, a pool, a concat or an addition, each with all of its backward and update ops.
/// `kWeight`: only an op with parameters, its backward op and its update; every other op is alone.
enum class Colocation { kLayer, kWeight };

/// The names in flags, in the order of the enum: layer, weight.
std::span<const std::string> colocation_names();

struct ModelOptions {
  std::int64_t batch = 32;  // images of one step, from 1 to kMostBatch
  bool training = true;     // forward, backward and updates; else the forward ops alone
  Colocation colocation = Colocation::kLayer;
};

inline constexpr std::int64_t kMostBatch = 65'536;

/// The names that `generate_model` knows, in alphabetical order.
const std::vector<std::string>& model_names();

/// The op graph of a well-known model in fp32, from its layer shapes; costs are flops and bytes.
/// A training graph is one step of SGD with momentum: a backward op for each forward op between a
/// parameter and the loss (twice a product's flops, once where no input gradient is needed), a sum
/// where several gradients of a tensor meet, an update op for each op with parameters. What a
/// backward op needs of the forward pass is an input tensor of it, so that it lives as long.
/// Parameters (batch norm: scale and shift) are `params_bytes` of their forward op, momentum that
/// of the update; gradients are tensors. No workspace: `temp_bytes` is 0. Throws Error for an
/// unknown name or a batch out of range.
Graph generate_model(std::string_view name, const ModelOptions& options);

}  // namespace placer
