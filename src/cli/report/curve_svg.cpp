#include <fmt/format.h>

#include <algorithm>

#include "cli/report/chart.hpp"
#include "cli/report/curve_file.hpp"
#include "cli/shared/text.hpp"

namespace placer {
namespace {

double largest_mean_seconds(const std::vector<CurvePoint>& points) {
  double largest = 0;
  for (const CurvePoint& point : points) {
    largest = std::max(largest, point.mean_seconds.value_or(0));
  }
  return largest;
}

/// Adds mean and best, in units of `scale` seconds.
void add_lines(const NamedCurve& curve, double scale, Pen mean_pen, Pen best_pen, Chart& chart) {
  ChartLine mean{mean_pen, {}}, best{best_pen, {}};
  for (const CurvePoint& point : curve.points) {
    const auto x = static_cast<double>(point.evaluations);
    if (point.mean_seconds) mean.spots.push_back({x, *point.mean_seconds / scale});
    if (point.best_step_ps) best.spots.push_back({x, to_seconds(*point.best_step_ps) / scale});
    chart.most_x = std::max(chart.most_x, x);
  }
  chart.lines.push_back(std::move(mean));
  chart.lines.push_back(std::move(best));
}

/// The wall time after so many evaluations.
std::string time_at(const NamedCurve& curve, double evaluations) {
  if (evaluations <= 0) return "";
  for (const CurvePoint& point : curve.points) {
    if (static_cast<double>(point.evaluations) < evaluations || !point.wall_seconds) continue;
    return time_text(to_picoseconds(std::min(*point.wall_seconds, 9e6)));
  }
  return "";
}

std::string draw_one(const NamedCurve& curve, const std::vector<ChartMark>& levels) {
  const ChartUnit unit = chart_unit(largest_mean_seconds(curve.points));
  Chart chart{.title = curve.name,
              .x_title = "evaluations (below: wall time)",
              .y_title = fmt::format("step time ({})", unit.name)};
  const Pen mean{0, Stroke::kSolid}, best{1, Stroke::kDashed};
  add_lines(curve, unit.seconds, mean, best, chart);
  chart.below_tick = [&](double evaluations) { return time_at(curve, evaluations); };
  if (!curve.points.empty() && curve.samples > 0 &&
      curve.samples < curve.points.back().evaluations) {
    chart.ends.push_back({static_cast<double>(curve.samples), "refinement of the best"});
  }
  for (const ChartMark& level : levels) {
    chart.levels.push_back({level.at / unit.seconds, level.name});
  }
  return charts_svg({chart}, {{"mean of the samples", mean}, {"best so far", best}});
}

std::string draw_several(const std::vector<NamedCurve>& curves) {
  Chart chart{.title = "step time over that of the first samples",
              .x_title = "evaluations on each graph",
              .y_title = "relative step time"};
  std::vector<LegendEntry> legend;
  for (const NamedCurve& curve : curves) {
    const Pen mean = pen_of(legend.size()), best{mean.colour, Stroke::kDashed};
    add_lines(curve, first_mean_seconds(curve.points), mean, best, chart);
    legend.push_back({curve.name, mean});
  }
  return charts_svg({chart}, legend);
}

}  // namespace

std::string curve_svg(const std::vector<NamedCurve>& curves, const std::vector<ChartMark>& levels) {
  return curves.size() == 1 ? draw_one(curves[0], levels) : draw_several(curves);
}

}  // namespace placer
