#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "placer/base/options.hpp"
#include "placer/search/search.hpp"

namespace placer {

/// What a reader, a test or the program may know of an optimizer.
struct OptimizerInfo {
  std::string summary;         // one sentence: what it does
  std::string unfit_for;       // one sentence: where not to use it
  std::string source;          // paper or book; "" where the method is folklore
  bool deterministic = false;  // draws no random numbers
  // A bigger budget never gives a worse result from the same seed, as long as no groups are merged.
  bool anytime = false;
  bool learns = false;         // its samples get better as the budget is spent
  bool transfers = false;      // what it has learnt serves other graphs
  std::size_t max_groups = 0;  // `--groups auto` merges down to this many; 0: any number is fine
  std::string unavailable;     // why this build cannot run it; "" where it can
};

/// A placement algorithm: a record and a function.
struct Optimizer {
  std::string name;  // from optimizers.def
  OptimizerInfo info;
  std::vector<OptionInfo> options;
  std::function<void(const OptionValues&, Search&)> run;  // the values are checked and complete
};

/// `rows` has a row for each member of `O`; the optimizer's file asserts it:
/// `static_assert(kRows.size() == member_count<Options>)`.
template <class O, std::size_t N>
Optimizer make_optimizer(OptimizerInfo info, const std::array<OptionRow<O>, N>& rows,
                         void (*run)(const O&, Search&)) {
  return {"", std::move(info), describe_options(rows),
          [&rows, run](const OptionValues& values, Search& search) {
            run(read_options(rows, values), search);
          }};
}

/// An optimizer without options.
Optimizer make_optimizer(OptimizerInfo info, void (*run)(Search&));

/// In the order of optimizers.def.
const std::vector<Optimizer>& all_optimizers();

/// Throws Error with a suggestion for an unknown name.
const Optimizer& find_optimizer(std::string_view name);

}  // namespace placer
