#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/compare/curves.hpp"
#include "cli/report/chart.hpp"

namespace placer {
namespace {

constexpr double kLogFrom = 100;  // evaluations

using Points = std::vector<ComparedPoint>;

/// A graph under an order: the points of each algorithm under that order.
struct Drawn {
  const ComparedGraph& graph;
  std::size_t order = 0;
  std::vector<Points> curves;
};

Drawn drawn(const Comparison& comparison, std::size_t graph, std::size_t order) {
  Drawn drawn{comparison.graphs[graph], order, {}};
  for (std::size_t i = order; i < comparison.algorithms.size(); i += comparison.orders.size()) {
    drawn.curves.push_back(compared_points(comparison, graph, i));
  }
  return drawn;
}

double last_evaluation(const Drawn& drawn) {
  std::int64_t last = 1;
  for (const Points& points : drawn.curves) {
    if (!points.empty()) last = std::max(last, points.back().evaluations);
  }
  return static_cast<double>(last);
}

/// The finite values in units of `scale` seconds, as stairs that go on to `most_x`.
std::vector<Spot> stairs_of(const Points& points, double ComparedPoint::*value, double scale,
                            double most_x) {
  std::vector<Spot> spots;
  for (const ComparedPoint& point : points) {
    if (!std::isfinite(point.*value)) continue;
    spots.push_back({static_cast<double>(point.evaluations), point.*value / scale});
  }
  if (!spots.empty()) spots.push_back({most_x, spots.back().y});
  return stairs(spots);
}

void add_curve(const Points& points, Pen pen, double scale, Chart& chart) {
  Points banded = points;
  std::erase_if(
      banded, [](const ComparedPoint& point) { return !std::isfinite(point.quartile_3_seconds); });
  chart.bands.push_back(
      {pen.colour, stairs_of(banded, &ComparedPoint::quartile_1_seconds, scale, chart.most_x),
       stairs_of(banded, &ComparedPoint::quartile_3_seconds, scale, chart.most_x)});
  ChartLine means{{pen.colour, Stroke::kFine}, {}};
  for (const ComparedPoint& point : points) {
    if (!point.mean_seconds) continue;
    means.spots.push_back({static_cast<double>(point.evaluations), *point.mean_seconds / scale});
  }
  chart.lines.push_back(std::move(means));
  chart.lines.push_back(
      {pen, stairs_of(points, &ComparedPoint::median_seconds, scale, chart.most_x)});
}

/// What the chart must show: where the curves end, the means, and the single device; not how bad
/// the first placements are.
double needed_seconds(const Drawn& drawn) {
  const auto& single = drawn.graph.singles[drawn.order];
  double most = single ? to_seconds(single->score.step_ps) : 0;
  for (const Points& points : drawn.curves) {
    for (const ComparedPoint& point : points) most = std::max(most, point.mean_seconds.value_or(0));
    if (points.empty()) continue;
    const ComparedPoint& last = points.back();
    for (const double end : {last.median_seconds, last.quartile_3_seconds}) {
      if (std::isfinite(end)) most = std::max(most, end);
    }
  }
  return most;
}

Chart chart_of(const Drawn& drawn, const Comparison& comparison) {
  const double needed = needed_seconds(drawn);
  const ChartUnit unit = chart_unit(needed);
  const LoadedProblem& loaded = drawn.graph.loaded;
  Chart chart{.title = loaded.graph_name + " on " + loaded.devices_name,
              .x_title = "evaluations",
              .y_title = fmt::format("best step time so far ({})", unit.name),
              .most_x = last_evaluation(drawn),
              .most_y = needed / unit.seconds};
  if (comparison.orders.size() > 1) {
    chart.title += ", order " + name_of(comparison.orders[drawn.order]);
  }
  if (comparison.seeds > 1) {
    chart.title += fmt::format(": median and quartiles of {} seeds", comparison.seeds);
  }
  chart.log_x = chart.most_x >= kLogFrom;
  if (chart.log_x) chart.least_x = 1;
  for (std::size_t i = 0; i < drawn.curves.size(); ++i) {
    add_curve(drawn.curves[i], pen_of(i), unit.seconds, chart);
  }
  chart.levels.push_back({to_seconds(drawn.graph.bounds.best_ps()) / unit.seconds, "lower bound"});
  if (const auto& single = drawn.graph.singles[drawn.order]) {
    const Device& device = loaded.problem.topology().device(single->device);
    chart.levels.push_back({to_seconds(single->score.step_ps) / unit.seconds,
                            fmt::format("one device ({})", device.name)});
  }
  return chart;
}

std::string svg_of(const Comparison& comparison, std::size_t first, std::size_t last) {
  std::vector<Chart> charts;
  for (std::size_t graph = first; graph <= last; ++graph) {
    for (std::size_t order = 0; order < comparison.orders.size(); ++order) {
      charts.push_back(chart_of(drawn(comparison, graph, order), comparison));
    }
  }
  std::vector<LegendEntry> legend;
  bool learner = false;
  for (std::size_t i = 0; i < comparison.algorithms.size(); i += comparison.orders.size()) {
    legend.push_back({comparison.algorithms[i].label, pen_of(legend.size())});
    learner = learner || comparison.algorithms[i].optimizer->info.learns;
  }
  if (learner) legend.push_back({"mean of a learner's samples", {kGrey, Stroke::kFine}});
  return charts_svg(charts, legend);
}

}  // namespace

std::string curves_svg(const Comparison& comparison) {
  return svg_of(comparison, 0, comparison.graphs.size() - 1);
}

std::string curves_svg(const Comparison& comparison, std::size_t graph) {
  return svg_of(comparison, graph, graph);
}

}  // namespace placer
