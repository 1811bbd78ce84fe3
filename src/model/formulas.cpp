#include "placer/model/formulas.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace placer {
namespace {

using Row = std::pair<std::string_view, Stash>;

constexpr std::array kStashes = std::to_array<Row>({
    {"conv2d", Stash::kInput},     {"matmul", Stash::kInput},
    {"batch_norm", Stash::kInput}, {"layer_norm", Stash::kInput},
    {"rms_norm", Stash::kInput},   {"max_pool", Stash::kInput},
    {"gelu", Stash::kInput},       {"silu", Stash::kInput},
    {"gather", Stash::kInput},     {"batch_matmul", Stash::kInputs},
    {"mul", Stash::kInputs},       {"attention", Stash::kInputs},
    {"lstm_cell", Stash::kInputs}, {"weighted_sum", Stash::kInputs},
    {"square", Stash::kInput},     {"erf", Stash::kInput},
    {"div", Stash::kInputs},       {"scale_by_weights", Stash::kInput},
    {"sqrt", Stash::kOutput},      {"relu", Stash::kOutput},
    {"sigmoid", Stash::kOutput},   {"tanh", Stash::kOutput},
    {"softmax", Stash::kOutput},
});

}  // namespace

Stash stash_of(std::string_view op_type) {
  const auto row = std::ranges::find(kStashes, op_type, &Row::first);
  return row == kStashes.end() ? Stash::kNothing : row->second;
}

}  // namespace placer
