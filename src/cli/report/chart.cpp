#include "cli/report/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "placer/base/markup.hpp"

namespace placer {
namespace {

constexpr double kWidth = 860;
constexpr double kLeft = 78, kRight = 24, kTop = 36, kBottom = 62;
constexpr double kBelowTick = 16, kLevelNames = 124, kLevelName = 13;
constexpr double kLegendFrom = 40, kLegendRow = 20, kLetter = 7.2;
// Wong's palette, which colour-blind readers can tell apart.
constexpr std::array<const char*, kColourCount> kColours = {
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#6b5b00", "#444444"};
constexpr double kMostDecadesInParts = 5;  // with ticks at 2 and 5 as well

/// 1, 2 or 5 times a power of ten, so that about `wanted` fit into `span`.
double tick_step(double span, double wanted) {
  const double rough = span / wanted;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * 0.999) return factor * power;
  }
  return 10 * power;
}

struct Axis {
  double least = 0, most = 1, from = 0, to = 1;  // values, and where they lie on the page
  bool log = false;

  double at(double value) const {
    const double share =
        log ? std::log(value / least) / std::log(most / least) : (value - least) / (most - least);
    return from + share * (to - from);
  }
  std::vector<double> ticks(double wanted) const { return log ? powers() : multiples(wanted); }

 private:
  std::vector<double> multiples(double wanted) const {
    const double step = tick_step(most - least, wanted);
    std::vector<double> values;
    for (double k = std::ceil(least / step - 1e-9); k * step <= most + step * 1e-9; ++k) {
      values.push_back(k * step + 0.0);  // no -0
    }
    return values;
  }

  std::vector<double> powers() const {
    const bool in_parts = std::log10(most / least) < kMostDecadesInParts;
    std::vector<double> values;
    for (double power = std::pow(10, std::floor(std::log10(least))); power <= most; power *= 10) {
      for (const double factor : {1.0, 2.0, 5.0}) {
        const double value = factor * power;
        if (value >= least && value <= most && (factor == 1 || in_parts)) values.push_back(value);
      }
    }
    return values;
  }
};

std::string_view stroke_of(Stroke stroke) {
  switch (stroke) {
    case Stroke::kDashed:
      return "stroke-width=\"2\" stroke-dasharray=\"6 3\"";
    case Stroke::kDotted:
      return "stroke-width=\"2\" stroke-dasharray=\"2 2\"";
    case Stroke::kFine:
      return "stroke-width=\"1\" stroke-opacity=\"0.6\"";
    default:
      return "stroke-width=\"1.6\"";
  }
}

/// One chart, its upper edge at 0.
class Panel {
 public:
  Panel(const Chart& chart, double legend_height) : chart_(chart) {
    const double top = kTop + legend_height;
    const double right = kWidth - (chart.levels.empty() ? kRight : kLevelNames);
    const double bottom = chart.height - kBottom - (chart.below_tick ? kBelowTick : 0);
    double least = std::numeric_limits<double>::infinity(), most = -least;
    for (const ChartLine& line : chart.lines) {
      for (const Spot& spot : line.spots) {
        least = std::min(least, spot.y);
        most = std::max(most, spot.y);
      }
    }
    for (const ChartMark& level : chart.levels) {
      least = std::min(least, level.at);
      most = std::max(most, level.at);
    }
    if (most <= least) {
      const bool is_one = most == least && most != 0;
      const double room = is_one ? 0.1 * std::abs(most) : 0;
      least = is_one ? most - room : 0;
      most = is_one ? most + room : 1;
    }
    if (chart.most_y && *chart.most_y > least) most = std::min(most, *chart.most_y);
    y_ = range(least, most);
    y_.from = bottom;
    y_.to = top;
    x_ = {chart.least_x, chart.most_x, kLeft, right, chart.log_x};
  }

  std::string draw() const {
    std::string svg = fmt::format("<text x=\"{}\" y=\"24\" font-size=\"16\">{}</text>\n", kLeft,
                                  markup_text(chart_.title));
    svg += grid();
    for (const ChartMark& end : chart_.ends) svg += mark_end(end);
    svg += fmt::format(
        "<svg x=\"{0:.1f}\" y=\"{1:.1f}\" width=\"{2:.1f}\" height=\"{3:.1f}\" "
        "viewBox=\"{0:.1f} {1:.1f} {2:.1f} {3:.1f}\">\n",
        x_.from, y_.to, x_.to - x_.from, y_.from - y_.to);
    for (const ChartBand& each : chart_.bands) svg += band(each);
    for (const ChartMark& level : chart_.levels) svg += mark_level(level);
    for (const ChartLine& each : chart_.lines) svg += line(each);
    return svg + "</svg>\n" + level_names();
  }

 private:
  /// A little more than from least to most, but not below 0 for that.
  Axis range(double least, double most) const {
    if (chart_.log_y && least > 0) return {.least = least / 1.2, .most = most * 1.2, .log = true};
    const double margin = 0.05 * (most - least);
    return {.least = least < 0 ? least - margin : std::max(0.0, least - margin),
            .most = most + margin};
  }

  std::string grid() const {
    std::string svg;
    for (const double value : y_.ticks(chart_.height / 70)) {
      svg += fmt::format(
          "<path d=\"M{:.1f} {:.1f}H{:.1f}\" stroke=\"#ddd\"/>"
          "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{:.4g}</text>\n",
          x_.from, y_.at(value), x_.to, x_.from - 8, y_.at(value) + 4.5, value);
    }
    for (const double value : x_.ticks(8)) {
      svg += fmt::format(
          "<path d=\"M{0:.1f} {1:.1f}V{2:.1f}\" stroke=\"#eee\"/>"
          "<text x=\"{0:.1f}\" y=\"{3:.1f}\" text-anchor=\"middle\">{4:.6g}</text>",
          x_.at(value), y_.from, y_.to, y_.from + 18, value);
      if (chart_.below_tick) {
        svg += fmt::format(
            "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" font-size=\"11\" "
            "fill=\"#777\">{}</text>",
            x_.at(value), y_.from + 33, chart_.below_tick(value));
      }
      svg += "\n";
    }
    svg += fmt::format(
        "<path d=\"M{0:.1f} {1:.1f}V{2:.1f}H{3:.1f}\" fill=\"none\" stroke=\"#444\"/>\n", x_.from,
        y_.to, y_.from, x_.to);
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
                       (x_.from + x_.to) / 2, chart_.height - 20, markup_text(chart_.x_title));
    return svg + fmt::format(
                     "<text transform=\"translate(20 {:.1f}) rotate(-90)\" "
                     "text-anchor=\"middle\">{}</text>\n",
                     (y_.from + y_.to) / 2, markup_text(chart_.y_title));
  }

  std::string mark_end(const ChartMark& end) const {
    const double x = x_.at(end.at);
    return fmt::format(
        "<path d=\"M{0:.1f} {1:.1f}V{2:.1f}\" stroke=\"#999\" stroke-dasharray=\"2 3\"/>"
        "<text x=\"{3:.1f}\" y=\"{4:.1f}\" font-size=\"11\" fill=\"#777\">{5}</text>\n",
        x, y_.from, y_.to, x + 5, y_.to + 12, markup_text(end.name));
  }

  std::string mark_level(const ChartMark& level) const {
    return fmt::format(
        "<path d=\"M{:.1f} {:.1f}H{:.1f}\" stroke=\"#555\" stroke-dasharray=\"7 5\"/>\n", x_.from,
        y_.at(level.at), x_.to);
  }

  /// At the right, from the lowest level up, none in the way of another.
  std::string level_names() const {
    std::vector<ChartMark> levels = chart_.levels;
    std::ranges::stable_sort(levels, {}, &ChartMark::at);
    std::string svg;
    double free = chart_.height;
    for (const ChartMark& level : levels) {
      const double y = std::min(y_.at(std::min(level.at, y_.most)) + 4, free);
      svg +=
          fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"11\" fill=\"#444\">{}</text>\n",
                      x_.to + 6, y, markup_text(level.name));
      free = y - kLevelName;
    }
    return svg;
  }

  std::string path(const std::vector<Spot>& spots) const {
    std::string path;
    for (const Spot& spot : spots) {
      path +=
          fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x_.at(spot.x), y_.at(spot.y));
    }
    return path;
  }

  std::string line(const ChartLine& line) const {
    if (line.spots.empty()) return "";
    return fmt::format(
        "<path d=\"{}{}\" fill=\"none\" stroke=\"{}\" stroke-linejoin=\"round\" {}/>\n",
        path(line.spots), line.spots.size() == 1 ? "h2" : "", kColours[line.pen.colour],
        stroke_of(line.pen.stroke));
  }

  std::string band(const ChartBand& band) const {
    if (band.low.empty()) return "";
    std::vector<Spot> round = band.low;
    round.insert(round.end(), band.high.rbegin(), band.high.rend());
    return fmt::format("<path d=\"{}Z\" fill=\"{}\" fill-opacity=\"0.15\"/>\n", path(round),
                       kColours[band.colour]);
  }

  const Chart& chart_;
  Axis x_, y_;
};

/// The entries in rows from left to right, and how many rows.
std::string draw_legend(const std::vector<LegendEntry>& legend, double& rows) {
  std::string svg;
  double x = kLeft;
  rows = legend.empty() ? 0 : 1;
  for (const LegendEntry& entry : legend) {
    const double width = 52 + kLetter * static_cast<double>(entry.name.size());
    if (x > kLeft && x + width - 22 > kWidth - kRight) {
      x = kLeft;
      ++rows;
    }
    const double y = kLegendFrom + kLegendRow * (rows - 1);
    svg += fmt::format(
        "<path d=\"M{:.1f} {:.0f}h24\" stroke=\"{}\" {}/>"
        "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"12\">{}</text>\n",
        x, y, kColours[entry.pen.colour], stroke_of(entry.pen.stroke), x + 30, y + 4.5,
        markup_text(entry.name));
    x += width;
  }
  return svg;
}

}  // namespace

std::string charts_svg(const std::vector<Chart>& charts, const std::vector<LegendEntry>& legend) {
  double rows = 0;
  const std::string drawn_legend = draw_legend(legend, rows);
  double height = 0;
  for (const Chart& chart : charts) height += chart.height;
  std::string svg = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}" )"
      R"(font-family="sans-serif" font-size="13" fill="#222">)"
      "\n<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n",
      kWidth, height);
  double above = 0;
  for (const Chart& chart : charts) {
    svg += fmt::format("<g transform=\"translate(0 {})\">\n", above);
    svg += Panel(chart, above == 0 ? kLegendRow * rows : 0).draw() + "</g>\n";
    above += chart.height;
  }
  return svg + drawn_legend + "</svg>\n";
}

ChartUnit chart_unit(double largest_seconds) {
  for (const ChartUnit& unit : {ChartUnit{1, "s"}, ChartUnit{1e-3, "ms"}, ChartUnit{1e-6, "µs"}}) {
    if (largest_seconds >= unit.seconds) return unit;
  }
  return {1e-9, "ns"};
}

std::vector<Spot> stairs(const std::vector<Spot>& spots) {
  std::vector<Spot> steps;
  for (const Spot& spot : spots) {
    if (!steps.empty()) steps.push_back({spot.x, steps.back().y});
    steps.push_back(spot);
  }
  return steps;
}

}  // namespace placer
