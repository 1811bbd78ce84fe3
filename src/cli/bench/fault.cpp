#include "cli/bench/fault.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/shared/regression.hpp"
#include "cli/shared/text.hpp"

namespace placer {
namespace {

/// The options that are not as they would be if nothing were given.
std::string given_options(const BenchCase& which) {
  const OptionValues usual = checked_options(which.optimizer->options, {});
  std::string text;
  for (const auto& [name, value] : which.options) {
    const auto at = usual.find(name);
    if (at != usual.end() && at->second == value) continue;
    text += fmt::format(" --{}={}", name, shell_word(to_text(value)));
  }
  return text;
}

}  // namespace

std::string repeating_command(const BenchCase& which) {
  std::string command = "placer optimize " + shell_word(which.graph);
  if (which.devices) command += " --devices " + shell_word(*which.devices);
  command += fmt::format(" --algo {}{} --evaluations {} --seed {}", which.optimizer->name,
                         given_options(which), which.evaluations, which.seed);
  if (which.grouping.kind == Grouping::Kind::kNone) command += " --groups none";
  if (which.grouping.kind == Grouping::Kind::kCount) {
    command += fmt::format(" --groups {}", which.grouping.count);
  }
  if (which.order != Order::kFifo) command += " --order " + name_of(which.order);
  return command;
}

std::string fault_text(const BenchRun& run) {
  return fmt::format("{}: {}; '{}' repeats it", run.which->name,
                     worse_text(run.result.score, run.stored->score, run.stored->tolerance),
                     repeating_command(*run.which));
}

}  // namespace placer
