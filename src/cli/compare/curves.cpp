#include "cli/compare/curves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "cli/compare/statistics.hpp"
#include "cli/shared/table.hpp"

namespace placer {
namespace {

using Runs = std::vector<const RunRecord*>;

double best_seconds(const RunRecord& run, std::int64_t evaluations) {
  const std::vector<Improvement>& history = run.result.history;
  const auto next = std::ranges::upper_bound(history, evaluations, {}, &Improvement::evaluations);
  if (next == history.begin() || !std::prev(next)->score.fits()) {
    return std::numeric_limits<double>::infinity();
  }
  return to_seconds(std::prev(next)->score.step_ps);
}

/// Of the window that ends at or after so many evaluations.
std::optional<double> mean_seconds(const RunRecord& run, std::int64_t evaluations) {
  const std::vector<CurvePoint>& curve = run.result.curve;
  const auto window = std::ranges::lower_bound(curve, evaluations, {}, &CurvePoint::evaluations);
  if (window == curve.end() || window->evaluations > run.result.samples) return std::nullopt;
  return window->mean_seconds;
}

std::optional<double> median_mean_seconds(const Runs& runs, std::int64_t evaluations) {
  std::vector<double> means;
  for (const RunRecord* run : runs) {
    if (const auto mean = mean_seconds(*run, evaluations)) means.push_back(*mean);
  }
  if (means.empty()) return std::nullopt;
  return median(std::move(means));
}

std::set<std::int64_t> window_ends(const RunRecord& run) {
  std::set<std::int64_t> ends;
  for (const CurvePoint& point : run.result.curve) ends.insert(point.evaluations);
  return ends;
}

}  // namespace

std::vector<ComparedPoint> compared_points(const std::vector<const RunRecord*>& runs, bool learns) {
  std::set<std::int64_t> all, windows;
  for (const RunRecord* run : runs) {
    for (const Improvement& improvement : run->result.history) all.insert(improvement.evaluations);
    all.insert(run->result.evaluations);
  }
  if (learns && !runs.empty()) windows = window_ends(*runs.front());
  all.insert(windows.begin(), windows.end());
  std::vector<ComparedPoint> points;
  for (const std::int64_t evaluations : all) {
    std::vector<double> best;
    for (const RunRecord* run : runs) best.push_back(best_seconds(*run, evaluations));
    ComparedPoint point{evaluations, median(best), quantile(best, 0.25), quantile(best, 0.75), {}};
    if (windows.contains(evaluations)) point.mean_seconds = median_mean_seconds(runs, evaluations);
    points.push_back(point);
  }
  return points;
}

std::vector<ComparedPoint> compared_points(const Comparison& comparison, std::size_t graph,
                                           std::size_t algorithm) {
  return compared_points(comparison.runs_of(graph, algorithm),
                         comparison.algorithms[algorithm].optimizer->info.learns);
}

std::string curves_text(const Comparison& comparison, const std::string& path) {
  return path.ends_with(".csv") ? curves_csv(comparison) : curves_svg(comparison);
}

std::string curves_csv(const Comparison& comparison) {
  Table table{{"graph", "order", "algorithm", "evaluations", "median_step_seconds",
               "quartile_1_step_seconds", "quartile_3_step_seconds", "mean_sample_seconds"},
              {}};
  const auto cell = [](double value) {
    return std::isfinite(value) ? fmt::format("{}", value) : std::string();
  };
  for (std::size_t graph = 0; graph < comparison.graphs.size(); ++graph) {
    for (std::size_t i = 0; i < comparison.algorithms.size(); ++i) {
      const ComparedAlgorithm& algorithm = comparison.algorithms[i];
      for (const ComparedPoint& point : compared_points(comparison, graph, i)) {
        table.rows.push_back({comparison.graphs[graph].loaded.graph_name,
                              name_of(comparison.order_of(i)), algorithm.label,
                              fmt::format("{}", point.evaluations), cell(point.median_seconds),
                              cell(point.quartile_1_seconds), cell(point.quartile_3_seconds),
                              cell(point.mean_seconds.value_or(INFINITY))});
      }
    }
  }
  return csv_table(table);
}

}  // namespace placer
