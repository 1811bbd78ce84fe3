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

constexpr std::array kUpdates = std::to_array<UpdateRule>({
    {"sgd", "sgd_update", 2, 3, 0},
    {"momentum", "sgd_momentum_update", 4, 5, 1},
    {"adam", "adam_update", 12, 7, 2},
});

}  // namespace

Stash stash_of(std::string_view op_type) {
  const auto row = std::ranges::find(kStashes, op_type, &Row::first);
  return row == kStashes.end() ? Stash::kNothing : row->second;
}

const UpdateRule* find_update_rule(std::string_view name) {
  const auto rule = std::ranges::find(kUpdates, name, &UpdateRule::name);
  return rule == kUpdates.end() ? nullptr : &*rule;
}

}  // namespace placer
