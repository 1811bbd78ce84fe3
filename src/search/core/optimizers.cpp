#include <fmt/format.h>

#include <algorithm>

#include "placer/base/errors.hpp"
#include "placer/search/optimizer.hpp"

namespace placer {

#define PLACER_OPTIMIZER(function, name) Optimizer function();
#include "search/core/optimizers.def"
#undef PLACER_OPTIMIZER

namespace {

Optimizer named(std::string name, Optimizer optimizer) {
  optimizer.name = std::move(name);
  return optimizer;
}

}  // namespace

Optimizer make_optimizer(OptimizerInfo info, void (*run)(Search&)) {
  return {"", std::move(info), {}, [run](const OptionValues&, Search& search) { run(search); }};
}

const std::vector<Optimizer>& all_optimizers() {
  static const std::vector<Optimizer> optimizers = {
#define PLACER_OPTIMIZER(function, name) named(name, function()),
#include "search/core/optimizers.def"
#undef PLACER_OPTIMIZER
  };
  return optimizers;
}

const Optimizer& find_optimizer(std::string_view name) {
  const auto at = std::ranges::find(all_optimizers(), name, &Optimizer::name);
  if (at != all_optimizers().end()) return *at;
  std::vector<std::string> names;
  for (const Optimizer& optimizer : all_optimizers()) names.push_back(optimizer.name);
  throw Error(fmt::format("algorithm: expected one of {}, found '{}'{}", join(names), name,
                          did_you_mean(name, names)));
}

}  // namespace placer
