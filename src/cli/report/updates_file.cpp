#include "cli/report/updates_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/report/chart.hpp"
#include "cli/shared/table.hpp"

namespace placer {
namespace {

constexpr double kHeight = 260;

std::string updates_csv(const std::vector<LearnerUpdate>& updates) {
  Table table{{"update", "evaluations"}, {}};
  for (const UpdateFigure& figure : kUpdateFigures) table.header.push_back(figure.column);
  for (const LearnerUpdate& update : updates) {
    std::vector<std::string> row = {fmt::format("{}", update.number),
                                    fmt::format("{}", update.evaluations)};
    for (const UpdateFigure& figure : kUpdateFigures) {
      const std::optional<double>& value = update.figures.*figure.value;
      row.push_back(value ? fmt::format("{}", *value) : "");
    }
    table.rows.push_back(std::move(row));
  }
  return csv_table(table);
}

/// The values of a figure, against evaluations.
std::vector<Spot> spots_of(const UpdateFigure& figure, const std::vector<LearnerUpdate>& updates) {
  std::vector<Spot> spots;
  for (const LearnerUpdate& update : updates) {
    const std::optional<double>& value = update.figures.*figure.value;
    if (!value || !std::isfinite(*value)) continue;
    spots.push_back({static_cast<double>(update.evaluations), *value});
  }
  return spots;
}

/// Adds what the divergence is to be near to, where the algorithm has such an option.
void add_target(const Report& report, Chart& chart) {
  const auto target = report.options.find("target-kl");
  if (target == report.options.end()) return;
  const double kl = std::get<double>(target->second);
  chart.lines.push_back({{kGrey, Stroke::kDashed}, {{0, kl}, {chart.most_x, kl}}});
  chart.y_title = "KL (nats; dashed: target)";
}

Chart chart_of(const UpdateFigure& figure, std::vector<Spot> spots, const Report& report) {
  Chart chart{.title = "",
              .x_title = "evaluations",
              .y_title = figure.words,
              .most_x = static_cast<double>(report.result.updates.back().evaluations),
              .height = kHeight};
  if (figure.value == &UpdateFigures::mean_cost_seconds) {
    const ChartUnit unit = chart_unit(std::ranges::max_element(spots, {}, &Spot::y)->y);
    for (Spot& spot : spots) spot.y /= unit.seconds;
    chart.y_title += fmt::format(" ({})", unit.name);
  } else if (figure.value == &UpdateFigures::entropy) {
    chart.y_title += " (nats)";
  } else if (figure.value == &UpdateFigures::kl) {
    chart.y_title += " (nats)";
    add_target(report, chart);
  } else if (figure.value == &UpdateFigures::beta) {
    chart.log_y = true;
  }
  chart.lines.push_back({pen_of(0), std::move(spots)});
  return chart;
}

}  // namespace

std::string updates_svg(const Report& report) {
  std::vector<Chart> charts;
  for (const UpdateFigure& figure : kUpdateFigures) {
    std::vector<Spot> spots = spots_of(figure, report.result.updates);
    if (!spots.empty()) charts.push_back(chart_of(figure, std::move(spots), report));
  }
  if (charts.empty()) charts.push_back({.height = kHeight});
  charts.front().title = report.loaded->graph_name + ", " + report.algorithm + ": each update";
  return charts_svg(charts, {});
}

std::string updates_text(const std::string& path, const Report& report) {
  return path.ends_with(".csv") ? updates_csv(report.result.updates) : updates_svg(report);
}

}  // namespace placer
