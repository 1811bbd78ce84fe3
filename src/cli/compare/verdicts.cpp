#include "cli/compare/verdicts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/shared/text.hpp"

namespace placer {
namespace {

/// "3.1 % faster than post", of medians.
std::string relation(double own_seconds, double first_seconds, const std::string& first) {
  if (own_seconds == first_seconds) return "as fast as " + first;
  const double share = own_seconds < first_seconds ? first_seconds / own_seconds - 1
                                                   : own_seconds / first_seconds - 1;
  return fmt::format("{:.2g} % {} than {}", 100 * share,
                     own_seconds < first_seconds ? "faster" : "slower", first);
}

std::string fit_relation(const AlgorithmSummary& row, const AlgorithmSummary& first) {
  const bool fits = std::isfinite(row.median_seconds);
  if (fits == std::isfinite(first.median_seconds)) {
    return fits ? "" : fmt::format("{} does not fit, nor does {}", row.name, first.name);
  }
  return fits ? fmt::format("{} fits, which {} does not", row.name, first.name)
              : fmt::format("{} does not fit, which {} does", row.name, first.name);
}

std::string best_text(const GraphSummary& graph) {
  const AlgorithmSummary* best = nullptr;
  for (const AlgorithmSummary& row : graph.algorithms) {
    if (row.runs == 0 || !std::isfinite(row.median_seconds)) continue;
    if (best == nullptr || row.median_seconds < best->median_seconds) best = &row;
  }
  const LoadedProblem& loaded = graph.graph->loaded;
  if (best == nullptr) {
    return fmt::format("Nothing fits {} on {}.", loaded.graph_name, loaded.devices_name);
  }
  return fmt::format("Best on {}: {}, with {}{}.", loaded.graph_name, best->name,
                     time_text(to_picoseconds(best->median_seconds)),
                     best->gap ? ", " + share_text(*best->gap) + " over the lower bound" : "");
}

}  // namespace

std::string verdict_text(const AlgorithmSummary& row, const GraphSummary& graph,
                         const Comparison& comparison) {
  const AlgorithmSummary& first = graph.algorithms.front();
  if (!row.against_first || first.runs == 0 || first.name != comparison.name_of(0)) return "";
  if (std::string text = fit_relation(row, first); !text.empty()) return text;
  const SignTest& test = *row.against_first;
  const std::string chances = fmt::format("p = {:.2g}", test.p_value);
  const std::string said =
      row.name + " is " + relation(row.median_seconds, first.median_seconds, first.name);
  if (test.p_value < kSignificant) return fmt::format("{} ({})", said, chances);
  if (test.wins + test.losses == 0) {
    return fmt::format("{} and {} are equally fast from every seed", row.name, first.name);
  }
  if (test.wins > 0 && test.losses > 0) {
    return fmt::format("{}, which may be chance ({})", said, chances);
  }
  const std::int64_t seeds = test.wins + test.losses;
  return fmt::format("{} from {}, too few to rule out chance ({})", said,
                     seeds == 1 ? "1 seed" : fmt::format("all {} seeds", seeds), chances);
}

std::vector<std::string> verdicts(const GraphSummary& graph, const Comparison& comparison) {
  std::vector<std::string> list = {best_text(graph)};
  for (const AlgorithmSummary& row : graph.algorithms) {
    const std::string text = verdict_text(row, graph, comparison);
    if (!text.empty()) list.push_back(text + ".");
  }
  return list;
}

}  // namespace placer
