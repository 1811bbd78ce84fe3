#include "cli/compare/summary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace placer {
namespace {

using Runs = std::vector<const RunRecord*>;

template <class Value>
std::vector<double> values_of(const Runs& runs, Value value) {
  std::vector<double> values;
  for (const RunRecord* run : runs) values.push_back(static_cast<double>(value(*run)));
  return values;
}

std::optional<double> gap_over(double seconds, Picoseconds bound) {
  if (bound <= 0) return std::nullopt;
  return (seconds - to_seconds(bound)) / to_seconds(bound);
}

/// An algorithm's runs, as many of them as the other side needs.
struct Side {
  Runs runs;
  bool deterministic = false;
  const RunRecord& run(std::size_t i) const { return *runs[deterministic ? 0 : i]; }
};

std::size_t pair_count(const Side& a, const Side& b) {
  if (a.runs.empty() || b.runs.empty()) return 0;
  if (a.deterministic) return b.runs.size();
  return b.deterministic ? a.runs.size() : std::min(a.runs.size(), b.runs.size());
}

/// Of what `value`, the less the better, says of each run.
template <class Value>
SignTest test_pairs(const Side& own, const Side& first, Value value) {
  std::int64_t wins = 0, losses = 0, ties = 0;
  for (std::size_t i = 0; i < pair_count(own, first); ++i) {
    const auto order = value(own.run(i)) <=> value(first.run(i));
    ++(order < 0 ? wins : order > 0 ? losses : ties);
  }
  return sign_test(wins, losses, ties);
}

AlgorithmSummary summarize_runs(const Runs& runs, Picoseconds bound) {
  const std::vector<double> steps = values_of(runs, [](auto& run) { return run.step_seconds(); });
  const auto median_of = [&](auto value) { return median(values_of(runs, value)); };
  AlgorithmSummary summary;
  summary.runs = runs.size();
  if (runs.empty()) {
    for (double* value :
         {&summary.median_seconds, &summary.quartile_1_seconds, &summary.quartile_3_seconds,
          &summary.least_seconds, &summary.best_sample_seconds, &summary.recent_mean_seconds}) {
      *value = std::numeric_limits<double>::quiet_NaN();
    }
    return summary;
  }
  summary.median_seconds = median(steps);
  summary.quartile_1_seconds = quantile(steps, 0.25);
  summary.quartile_3_seconds = quantile(steps, 0.75);
  summary.least_seconds = std::ranges::min(steps);
  summary.gap = gap_over(summary.median_seconds, bound);
  for (const RunRecord* run : runs) {
    if (run->result.collapse) ++summary.collapsed[run->result.collapse->device];
  }
  const auto fitting =
      std::ranges::count_if(steps, [](double step) { return std::isfinite(step); });
  summary.fits_share = static_cast<double>(fitting) / static_cast<double>(runs.size());
  summary.best_sample_seconds = median_of([](auto& run) { return run.best_sample_seconds(); });
  summary.recent_mean_seconds = median_of([](auto& run) { return run.result.recent_mean_seconds; });
  summary.evaluations = median_of([](auto& run) { return run.result.evaluations; });
  summary.evaluations_to_best = median_of([](auto& run) { return run.evaluations_to_best(); });
  summary.wall_seconds = median_of([](auto& run) { return run.result.wall_seconds; });
  summary.seconds_to_best = median_of([](auto& run) { return run.result.seconds_to_best; });
  return summary;
}

void add_tests(const Side& own, const Side& first, AlgorithmSummary& row) {
  row.against_first = test_pairs(own, first, [](auto& run) { return run.result.score; });
  row.own_best_against_first =
      test_pairs(own, first, [](auto& run) { return run.best_sample_seconds(); });
}

/// How many steps make up for the search; of a step that is no shorter none do.
std::optional<double> pays_after_steps(const AlgorithmSummary& row,
                                       const std::optional<SingleDevice>& single) {
  if (row.runs == 0 || !single) return std::nullopt;
  const double saved_seconds = to_seconds(single->score.step_ps) - row.median_seconds;
  if (!(saved_seconds > 0)) return std::nullopt;
  return std::ceil(row.wall_seconds / saved_seconds);
}

void add_ratios(std::vector<AlgorithmSummary>& rows) {
  double least = std::numeric_limits<double>::infinity();
  for (const AlgorithmSummary& row : rows) {
    if (row.runs > 0) least = std::min(least, row.median_seconds);
  }
  for (AlgorithmSummary& row : rows) {
    if (row.runs == 0 || !std::isfinite(row.median_seconds)) continue;
    row.ratio_to_best = least > 0 ? row.median_seconds / least : 1;
  }
}

}  // namespace

std::size_t collapsed_runs(const AlgorithmSummary& row) {
  std::size_t runs = 0;
  for (const auto& [device, count] : row.collapsed) runs += count;
  return runs;
}

std::vector<GraphSummary> summarize(const Comparison& comparison) {
  std::vector<GraphSummary> graphs;
  for (std::size_t graph = 0; graph < comparison.graphs.size(); ++graph) {
    GraphSummary rows{&comparison.graphs[graph], {}};
    const auto side = [&](std::size_t algorithm) {
      return Side{comparison.runs_of(graph, algorithm),
                  comparison.is_deterministic(graph, algorithm)};
    };
    const Side first = side(0);
    for (std::size_t i = 0; i < comparison.algorithms.size(); ++i) {
      const Side own = side(i);
      const auto failures = comparison.failures_of(graph, i);
      if (own.runs.empty() && failures.empty()) continue;
      AlgorithmSummary row = summarize_runs(own.runs, rows.graph->bounds.best_ps());
      row.algorithm = comparison.algorithms[i].label;
      row.order = comparison.algorithms[i].order;
      row.name = comparison.name_of(i);
      row.deterministic = own.deterministic;
      row.failed = failures.size();
      if (!failures.empty()) row.reason = failures.front()->failure.reason;
      row.pays_after_steps = pays_after_steps(row, rows.graph->singles[row.order]);
      if (i > 0 && row.runs > 0) add_tests(own, first, row);
      rows.algorithms.push_back(std::move(row));
    }
    add_ratios(rows.algorithms);
    if (!rows.algorithms.empty()) graphs.push_back(std::move(rows));
  }
  return graphs;
}

}  // namespace placer
