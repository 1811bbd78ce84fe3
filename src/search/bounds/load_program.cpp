// The linear program of a LoadBound, whose duals are the best prices there are.
#include <limits>

#include "base/abandonable.hpp"
#include "search/bounds/load_bound.hpp"

namespace placer {

/// The least T for which every item is somewhere in shares, each pool and each path takes at most
/// T, and what is held fits. Variables: the shares by choice, then T. Rows: items, pools' time,
/// pools' memory, paths.
LinearProgram LoadBound::program(bool in_memory) const {
  LinearProgram program;
  for (std::size_t c = 0; c < choices_.size(); ++c) program.add_variable(0, 0, 1);
  const int time = program.add_variable(1, 0, std::numeric_limits<double>::max());
  std::vector<LinearProgram::Term> terms;
  for (std::size_t item = 0; item < items(); ++item) {
    terms.clear();
    for (std::size_t c = offsets_[item]; c < offsets_[item + 1]; ++c) {
      terms.push_back({static_cast<int>(c), 1});
    }
    program.add_row(terms, 1);
  }
  const auto add_row = [&](bool is_time, const auto& taken) {
    terms.clear();
    if (is_time) terms.push_back({time, 1});
    for (std::size_t c = 0; c < choices_.size(); ++c) {
      const double share = taken(c) / (is_time ? best_.target_ps : 1);
      if (share > 0) terms.push_back({static_cast<int>(c), -share});
    }
    program.add_row(terms, is_time ? 0 : -1);
  };
  const auto on = [&](std::size_t c, std::size_t pool) { return choices_[c].pool == pool ? 1 : 0; };
  for (std::size_t d = 0; d < slots_.size(); ++d) {
    add_row(true, [&](std::size_t c) { return on(c, d) * choices_[c].load; });
  }
  for (std::size_t d = 0; d < slots_.size(); ++d) {
    add_row(false, [&](std::size_t c) { return in_memory ? on(c, d) * choices_[c].fill : 0; });
  }
  for (const std::vector<Picoseconds>& path : paths_) {
    add_row(true, [&](std::size_t c) { return static_cast<double>(path[c]); });
  }
  return program;
}

std::optional<Picoseconds> LoadBound::bound_by_program(int steps, bool in_memory) {
  if (!LinearProgram::solvable()) return std::nullopt;
  const auto solution = run_abandonable(
      [program = program(in_memory), steps] { return program.solve(steps); }, deadline_);
  if (!solution) return std::nullopt;
  shares_.assign(solution->values.begin(), solution->values.end() - 1);
  auto price = solution->prices.begin() + static_cast<std::ptrdiff_t>(items());
  for (auto* prices : {&best_.work, &best_.memory, &best_.path}) {
    for (double& each : *prices) each = *price++;
  }
  return exact_bound();
}

}  // namespace placer
