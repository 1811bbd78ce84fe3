#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "placer/base/options.hpp"
#include "placer/search/learner.hpp"
#include "placer/search/search.hpp"

namespace placer {

/// What a reader, a test or the program may know of an optimizer.
struct OptimizerInfo {
  std::string summary;         // one sentence: what it does
  std::string unfit_for;       // one sentence: where not to use it
  std::string source;          // paper or book; "" where the method is folklore
  std::string departs;         // where it departs from its source, and why; "" where it does not
  bool deterministic = false;  // draws no random numbers
  // A bigger budget never gives a worse result from the same seed, as long as no groups are merged.
  bool anytime = false;
  bool learns = false;           // its samples get better as the budget is spent
  bool transfers = false;        // what it has learnt serves other graphs
  bool proves = false;           // ends when the optimum is proven; needs no budget
  bool only_steps = false;       // knows step times alone: no other goal (`Goal::is_step`)
  bool only_throughput = false;  // knows the objective throughput alone
  std::size_t max_groups = 0;    // `--groups auto` merges down to this many; 0: any number is fine
  std::size_t own_groups = 0;    // it merges to about this many by itself; 0: it does not merge
  bool in_slices = false;        // most of its work may run in other processes (`SliceRunner`)
  bool in_batches = false;       // its samples come in batch after batch, which others may score
  std::string unavailable;       // why this build cannot run it; "" where it can
};

/// Whether the optimizer looks for what `goal` asks; it refuses other goals.
bool serves(const OptimizerInfo& info, const Goal& goal);

/// A placement algorithm: a record and a function.
struct Optimizer {
  std::string name;  // from optimizers.def
  OptimizerInfo info;
  std::vector<OptionInfo> options;
  std::function<void(const OptionValues&, Search&)> run;  // the values are checked and complete
  // For an optimizer that transfers: makes an untrained learner for these problems, with weights
  // drawn from the generator. All problems have equally many devices.
  using MakeLearner =
      std::function<std::unique_ptr<Learner>(const OptionValues&, std::span<const Problem>, Rng)>;
  MakeLearner learner;
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

/// The same for an optimizer with an option "preset" whose other defaults are `tuned`.
template <class O, std::size_t N>
Optimizer make_optimizer(OptimizerInfo info, const std::array<OptionRow<O>, N>& rows,
                         const O& tuned, void (*run)(const O&, Search&)) {
  Optimizer made = make_optimizer(std::move(info), rows, run);
  made.options = describe_options(rows, tuned);
  return made;
}

/// Learns on the search's graph: applies the policy that came with it (`Search::policy`) or,
/// without one, tries single devices; then updates until the budget is spent, and keeps the policy.
void run_learner(const Optimizer::MakeLearner& make, const OptionValues& values, Search& search);

/// An optimizer whose policy serves other graphs: a learner is all it needs.
template <class O, std::size_t N>
Optimizer make_learning_optimizer(OptimizerInfo info, const std::array<OptionRow<O>, N>& rows,
                                  std::unique_ptr<Learner> (*make)(const O&,
                                                                   std::span<const Problem>, Rng)) {
  info.learns = info.transfers = true;
  const Optimizer::MakeLearner learner = [&rows, make](const OptionValues& values,
                                                       std::span<const Problem> problems, Rng rng) {
    return make(read_options(rows, values), problems, rng);
  };
  return {"", std::move(info), describe_options(rows),
          [learner](const OptionValues& values, Search& search) {
            run_learner(learner, values, search);
          },
          learner};
}

/// An optimizer without options.
Optimizer make_optimizer(OptimizerInfo info, void (*run)(Search&));

/// All optimizers, in the order of optimizers.def.
const std::vector<Optimizer>& all_optimizers();

/// The algorithm of that name, in small or capital letters and with `_` or `-`. Throws Error with a
/// suggestion for an unknown name; it knows names that are usual elsewhere, too ("cem").
const Optimizer& find_optimizer(std::string_view name);

}  // namespace placer
