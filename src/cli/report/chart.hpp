#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace placer {

/// A point of a chart, in the units of its axes.
struct Spot {
  double x = 0, y = 0;
};

enum class Stroke { kSolid, kDashed, kDotted, kFine };

inline constexpr std::size_t kGrey = 7, kColourCount = 8;

/// How a line is drawn: the number of its colour, below kColourCount, and its stroke.
struct Pen {
  std::size_t colour = 0;
  Stroke stroke = Stroke::kSolid;
};

/// The pen of line `number`: after the last colour they begin anew, dotted.
constexpr Pen pen_of(std::size_t number) {
  return {number % kColourCount, number / kColourCount % 2 == 0 ? Stroke::kSolid : Stroke::kDotted};
}

struct ChartLine {
  Pen pen;
  std::vector<Spot> spots;
};
/// What lies between two lines with the same x, such as two quartiles.
struct ChartBand {
  std::size_t colour = 0;
  std::vector<Spot> low, high;
};
/// A value beside which the lines are seen: across the chart and named at its right, or down it.
struct ChartMark {
  double at = 0;
  std::string name;
};
struct LegendEntry {
  std::string name;
  Pen pen;
};

/// Lines over two axes. The y axis holds all lines and levels or, where it ends before, cuts them.
struct Chart {
  std::string title, x_title, y_title;
  double least_x = 0, most_x = 1;
  bool log_x = false;  // least_x is above 0
  bool log_y = false;  // where all values are above 0
  double height = 480;
  std::optional<double> most_y;
  std::vector<ChartBand> bands;
  std::vector<ChartLine> lines;
  std::vector<ChartMark> levels, ends;
  std::function<std::string(double)> below_tick = nullptr;  // of each number of the x axis
};

/// An SVG picture of the charts below each other, the legend at the top. Its background is white,
/// so that it reads on a dark page as well; a colour-blind reader can tell the colours apart.
std::string charts_svg(const std::vector<Chart>& charts, const std::vector<LegendEntry>& legend);

/// The unit that suits seconds up to the largest: 1 "s", 1e-3 "ms", 1e-6 "µs" or 1e-9 "ns".
struct ChartUnit {
  double seconds;
  std::string name;
};
ChartUnit chart_unit(double largest_seconds);

/// `spots` as stairs: each value stays until the next.
std::vector<Spot> stairs(const std::vector<Spot>& spots);

}  // namespace placer
