#include "cli/compare/shares.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/compare/statistics.hpp"
#include "cli/report/chart.hpp"
#include "cli/shared/table.hpp"

namespace placer {
namespace {

constexpr double kLogFromRatio = 10;

double median_seconds(const Comparison& comparison, std::size_t graph, std::size_t algorithm) {
  std::vector<double> steps;
  for (const RunRecord* run : comparison.runs_of(graph, algorithm)) {
    steps.push_back(run->step_seconds());
  }
  return steps.empty() ? std::numeric_limits<double>::infinity() : median(std::move(steps));
}

/// The share of all graphs that the first `count` are.
double share_of(std::size_t count, const Comparison& comparison) {
  return static_cast<double>(count) / static_cast<double>(comparison.graphs.size());
}

std::string csv(const Comparison& comparison) {
  Table table{{"algorithm", "order", "graph", "ratio", "share"}, {}};
  const auto all = ratios_to_best(comparison);
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t count = 0; count < all[i].size(); ++count) {
      const GraphRatio& each = all[i][count];
      table.rows.push_back({comparison.algorithms[i].label, name_of(comparison.order_of(i)),
                            comparison.graphs[each.graph].loaded.graph_name,
                            fmt::format("{}", each.ratio),
                            fmt::format("{}", share_of(count + 1, comparison))});
    }
  }
  return csv_table(table);
}

std::string svg(const Comparison& comparison) {
  const auto all = ratios_to_best(comparison);
  Chart chart{.title = fmt::format("step time over the best of {} algorithms, on {} graphs",
                                   all.size(), comparison.graphs.size()),
              .x_title = "at most so many times the best step time",
              .y_title = "share of the graphs",
              .least_x = 1,
              .most_x = 1.01};
  for (const auto& ratios : all) {
    if (!ratios.empty()) chart.most_x = std::max(chart.most_x, ratios.back().ratio);
  }
  chart.log_x = chart.most_x >= kLogFromRatio;
  std::vector<LegendEntry> legend;
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::vector<Spot> spots = {{chart.least_x, 0}};
    for (std::size_t count = 0; count < all[i].size(); ++count) {
      spots.push_back({all[i][count].ratio, share_of(count + 1, comparison)});
    }
    spots.push_back({chart.most_x, spots.back().y});
    const Pen pen = pen_of(i);
    chart.lines.push_back({pen, stairs(spots)});
    legend.push_back({comparison.name_of(i), pen});
  }
  return charts_svg({chart}, legend);
}

}  // namespace

std::vector<std::vector<GraphRatio>> ratios_to_best(const Comparison& comparison) {
  std::vector<std::vector<GraphRatio>> all(comparison.algorithms.size());
  for (std::size_t graph = 0; graph < comparison.graphs.size(); ++graph) {
    std::vector<double> medians;
    for (std::size_t i = 0; i < all.size(); ++i) {
      medians.push_back(median_seconds(comparison, graph, i));
    }
    const double least = std::ranges::min(medians);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!std::isfinite(medians[i])) continue;
      all[i].push_back({graph, least > 0 ? medians[i] / least : 1});
    }
  }
  for (auto& ratios : all) std::ranges::stable_sort(ratios, {}, &GraphRatio::ratio);
  return all;
}

std::string shares_text(const Comparison& comparison, const std::string& path) {
  return path.ends_with(".csv") ? csv(comparison) : svg(comparison);
}

}  // namespace placer
