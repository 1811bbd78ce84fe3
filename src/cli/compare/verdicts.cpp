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

/// ", though slower from 6 of 10 seeds", where the pairs say otherwise than the medians.
std::string against_medians(double own_seconds, double first_seconds, const SignTest& test) {
  const auto medians = first_seconds <=> own_seconds;
  const auto pairs = test.wins <=> test.losses;
  if (pairs == 0 || pairs == medians) return "";
  return fmt::format(", though {} from {} of {} seeds", pairs > 0 ? "faster" : "slower",
                     std::max(test.wins, test.losses), test.wins + test.losses + test.ties);
}

/// "1 seed", "all 5 seeds", "2 of 10 seeds, equally fast from the rest".
std::string deciding_seeds(const SignTest& test) {
  const std::int64_t seeds = test.wins + test.losses;
  if (test.ties > 0) {
    return fmt::format("{} of {} seeds, equally fast from the rest", seeds, seeds + test.ties);
  }
  if (seeds < 3) return seeds == 1 ? "1 seed" : "both seeds";
  return fmt::format("all {} seeds", seeds);
}

/// "; its own best is 3 % slower than post's (p = 0.002)", where own samples are not all that the
/// results come from.
std::string own_best_text(const AlgorithmSummary& row, const AlgorithmSummary& first) {
  const double own_seconds = row.best_sample_seconds, first_seconds = first.best_sample_seconds;
  const bool as_results =
      own_seconds == row.median_seconds && first_seconds == first.median_seconds;
  if (as_results) return "";
  if (!std::isfinite(own_seconds) || !std::isfinite(first_seconds)) {
    if (!std::isfinite(own_seconds) && !std::isfinite(first_seconds)) return "";
    return fmt::format("; of {} own samples none fits",
                       std::isfinite(own_seconds) ? first.name + "'s" : "its");
  }
  const SignTest& test = *row.own_best_against_first;
  return fmt::format("; its own best is {}{} (p = {:.2g})",
                     relation(own_seconds, first_seconds, first.name + "'s"),
                     against_medians(own_seconds, first_seconds, test), test.p_value);
}

/// Whether the difference may be chance is part of it.
std::string tested_relation(const AlgorithmSummary& row, const AlgorithmSummary& first) {
  const SignTest& test = *row.against_first;
  if (test.wins + test.losses == 0) {
    return fmt::format("{} and {} are equally fast from every seed", row.name, first.name);
  }
  const std::string chances = fmt::format("p = {:.2g}", test.p_value);
  const std::string said =
      row.name + " is " + relation(row.median_seconds, first.median_seconds, first.name);
  const std::string but = against_medians(row.median_seconds, first.median_seconds, test);
  if (test.p_value < kSignificant) return fmt::format("{}{} ({})", said, but, chances);
  if (test.wins > 0 && test.losses > 0) {
    return fmt::format("{}{}, which may be chance ({})", said, but, chances);
  }
  const std::string from = but.empty() ? " from " + deciding_seeds(test) : but;
  return fmt::format("{}{}, too few to rule out chance ({})", said, from, chances);
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
  return tested_relation(row, first) + own_best_text(row, first);
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
