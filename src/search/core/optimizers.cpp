#include <fmt/format.h>

#include <algorithm>

#include "placer/base/errors.hpp"
#include "placer/base/text.hpp"
#include "placer/search/optimizer.hpp"
#include "search/core/usual_names.hpp"

namespace placer {

#define PLACER_OPTIMIZER(function, name) Optimizer function();
#include "search/core/optimizers.def"
#undef PLACER_OPTIMIZER

namespace {

Optimizer named(std::string name, Optimizer optimizer) {
  optimizer.name = std::move(name);
  return optimizer;
}

/// "HEFT" is heft, and "m_sct" m-sct.
std::string plain_name(std::string_view name) {
  std::string plain(name);
  for (char& letter : plain) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    if (letter == '_') letter = '-';
  }
  return plain;
}

/// Empty where nobody calls an algorithm so.
std::string_view usually_called(std::string_view plain) {
  const auto usual = usual_names();
  const auto at = std::ranges::find(usual, plain, &UsualName::elsewhere);
  return at == usual.end() ? std::string_view() : at->here;
}

}  // namespace

Optimizer make_optimizer(OptimizerInfo info, void (*run)(Search&)) {
  return {"", std::move(info), {}, [run](const OptionValues&, Search& search) { run(search); }};
}

bool serves(const OptimizerInfo& info, const Goal& goal) {
  if (info.only_throughput) return goal.objective == Objective::kThroughput;
  return !info.only_steps || goal.is_step();
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
  const std::string plain = plain_name(name);
  const auto at = std::ranges::find(all_optimizers(), plain, &Optimizer::name);
  if (at != all_optimizers().end()) return *at;
  std::vector<std::string> names;
  for (const Optimizer& optimizer : all_optimizers()) names.push_back(optimizer.name);
  const std::string_view meant = usually_called(plain);
  const std::string hint =
      meant.empty() ? did_you_mean(name, names) : fmt::format(" (did you mean '{}'?)", meant);
  throw Error(fmt::format("algorithm: expected one of {}, found '{}'{}", listed_before(hint, names),
                          name, hint));
}

}  // namespace placer
