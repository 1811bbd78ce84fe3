#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cli/report/curve_file.hpp"
#include "cli/shared/text.hpp"
#include "placer/base/text.hpp"

namespace placer {
namespace {

constexpr double kWidth = 860, kHeight = 480;
constexpr double kLeft = 78, kRight = 24, kTop = 56, kBottom = 78;
// Wong's palette, which colour-blind readers can tell apart.
constexpr std::array kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                 "#e69f00", "#56b4e9", "#6b5b00", "#444444"};

struct Spot {
  double x, y;
};

/// What is drawn of one curve, in the units of the axes.
struct Trace {
  std::vector<Spot> mean, best;
};

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

  double at(double value) const { return from + (value - least) / (most - least) * (to - from); }
  std::vector<double> ticks(double wanted) const {
    const double step = tick_step(most - least, wanted);
    std::vector<double> values;
    for (double k = std::max(0.0, std::ceil(least / step - 1e-9)); k * step <= most + step * 1e-9;
         ++k) {
      values.push_back(k * step);
    }
    return values;
  }
};

/// The text of an XML element.
std::string escaped(std::string_view text) {
  std::string safe;
  for (const char letter : printable(text)) {
    if (letter == '<') {
      safe += "&lt;";
    } else if (letter == '>') {
      safe += "&gt;";
    } else if (letter == '&') {
      safe += "&amp;";
    } else {
      safe += letter;
    }
  }
  return safe;
}

struct Unit {
  double seconds;
  std::string_view name;
};

Unit unit_of(double largest_seconds) {
  for (const Unit unit : {Unit{1, "s"}, Unit{1e-3, "ms"}, Unit{1e-6, "µs"}}) {
    if (largest_seconds >= unit.seconds) return unit;
  }
  return {1e-9, "ns"};
}

class Picture {
 public:
  explicit Picture(const std::vector<NamedCurve>& curves) : curves_(curves) {
    measure_unit();
    for (const NamedCurve& curve : curves_) traces_.push_back(trace(curve));
    fit_axes();
  }

  std::string draw() const {
    std::string svg = fmt::format(
        R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}" )"
        R"(font-family="sans-serif" font-size="13" fill="#222">)"
        "\n<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n",
        kWidth, kHeight);
    svg += title() + grid() + refinement();
    for (std::size_t i = 0; i < traces_.size(); ++i) {
      const char* colour = kColours[i % kColours.size()];
      svg += line(traces_[i].mean, colour, "stroke-width=\"1.6\"");
      svg += line(traces_[i].best, one() ? kColours[1] : colour,
                  "stroke-width=\"2\" stroke-dasharray=\"6 3\"");
    }
    return svg + legend() + "</svg>\n";
  }

 private:
  bool one() const { return curves_.size() == 1; }

  void measure_unit() {
    double largest = 0;
    for (const NamedCurve& curve : curves_) {
      for (const CurvePoint& point : curve.points) {
        largest = std::max(largest, point.mean_seconds.value_or(0));
      }
    }
    unit_ = unit_of(largest);
  }

  Trace trace(const NamedCurve& curve) const {
    const double scale = one() ? unit_.seconds : first_mean_seconds(curve.points);
    Trace drawn;
    for (const CurvePoint& point : curve.points) {
      const auto x = static_cast<double>(point.evaluations);
      if (point.mean_seconds) drawn.mean.push_back({x, *point.mean_seconds / scale});
      if (point.best_step_ps) drawn.best.push_back({x, to_seconds(*point.best_step_ps) / scale});
    }
    return drawn;
  }

  void fit_axes() {
    double least = std::numeric_limits<double>::infinity(), most = 0, last = 1;
    for (const Trace& trace : traces_) {
      for (const auto* spots : {&trace.mean, &trace.best}) {
        for (const Spot& spot : *spots) {
          least = std::min(least, spot.y);
          most = std::max(most, spot.y);
          last = std::max(last, spot.x);
        }
      }
    }
    if (most <= least) {
      least = most > 0 && least <= most ? 0.9 * most : 0;
      most = most > 0 ? 1.1 * most : 1;
    }
    const double margin = 0.05 * (most - least);
    x_ = {0, last, kLeft, kWidth - kRight};
    y_ = {std::max(0.0, least - margin), most + margin, kHeight - kBottom, kTop};
  }

  std::string title() const {
    const std::string text = one() ? curves_[0].name : "step time over that of the first samples";
    return fmt::format("<text x=\"{}\" y=\"24\" font-size=\"16\">{}</text>\n", kLeft,
                       escaped(text));
  }

  /// The wall time after so many evaluations, of the only curve.
  std::string time_at(double evaluations) const {
    if (!one()) return "";
    for (const CurvePoint& point : curves_[0].points) {
      if (static_cast<double>(point.evaluations) < evaluations || !point.wall_seconds) continue;
      return time_text(to_picoseconds(std::min(*point.wall_seconds, 9e6)));
    }
    return "";
  }

  std::string grid() const {
    std::string svg;
    for (const double value : y_.ticks(7)) {
      svg += fmt::format(
          "<path d=\"M{:.1f} {:.1f}H{:.1f}\" stroke=\"#ddd\"/>"
          "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{:.4g}</text>\n",
          x_.from, y_.at(value), x_.to, x_.from - 8, y_.at(value) + 4.5, value);
    }
    for (const double value : x_.ticks(8)) {
      svg += fmt::format(
          "<path d=\"M{0:.1f} {1:.1f}V{2:.1f}\" stroke=\"#eee\"/>"
          "<text x=\"{0:.1f}\" y=\"{3:.1f}\" text-anchor=\"middle\">{4:.6g}</text>"
          "<text x=\"{0:.1f}\" y=\"{5:.1f}\" text-anchor=\"middle\" font-size=\"11\" "
          "fill=\"#777\">{6}</text>\n",
          x_.at(value), y_.from, y_.to, y_.from + 18, value, y_.from + 33,
          value > 0 ? time_at(value) : "");
    }
    svg += fmt::format(
        "<path d=\"M{0:.1f} {1:.1f}V{2:.1f}H{3:.1f}\" fill=\"none\" stroke=\"#444\"/>\n", x_.from,
        y_.to, y_.from, x_.to);
    svg += fmt::format(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">evaluations{}</text>\n",
        (x_.from + x_.to) / 2, kHeight - 20, one() ? " (below: wall time)" : " on each graph");
    svg += fmt::format(
        "<text transform=\"translate(20 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
        (y_.from + y_.to) / 2,
        one() ? fmt::format("step time ({})", unit_.name) : "relative step time");
    return svg;
  }

  /// Where the learner's own samples end.
  std::string refinement() const {
    if (!one() || curves_[0].points.empty()) return "";
    const std::int64_t samples = curves_[0].samples;
    if (samples <= 0 || samples >= curves_[0].points.back().evaluations) return "";
    const double x = x_.at(static_cast<double>(samples));
    return fmt::format(
        "<path d=\"M{0:.1f} {1:.1f}V{2:.1f}\" stroke=\"#999\" stroke-dasharray=\"2 3\"/>"
        "<text x=\"{3:.1f}\" y=\"{4:.1f}\" font-size=\"11\" fill=\"#777\">refinement of the best"
        "</text>\n",
        x, y_.from, y_.to, x + 5, y_.to + 12);
  }

  std::string line(const std::vector<Spot>& spots, const char* colour, const char* style) const {
    if (spots.empty()) return "";
    std::string path;
    for (const Spot& spot : spots) {
      path +=
          fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x_.at(spot.x), y_.at(spot.y));
    }
    if (spots.size() == 1) path += "h2";
    return fmt::format(
        "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-linejoin=\"round\" {}/>\n", path, colour,
        style);
  }

  std::string legend() const {
    std::string svg;
    double x = kLeft;
    const auto entry = [&](const std::string& name, const char* colour, bool dashed) {
      svg += fmt::format(
          "<path d=\"M{0:.1f} 40h24\" stroke=\"{1}\" stroke-width=\"2\"{2}/>"
          "<text x=\"{3:.1f}\" y=\"44.5\" font-size=\"12\">{4}</text>\n",
          x, colour, dashed ? " stroke-dasharray=\"6 3\"" : "", x + 30, escaped(name));
      x += 52 + 7.2 * static_cast<double>(name.size());
    };
    if (one()) {
      entry("mean of the samples", kColours[0], false);
      entry("best so far", kColours[1], true);
      return svg;
    }
    for (std::size_t i = 0; i < curves_.size() && x < kWidth - 120; ++i) {
      entry(curves_[i].name, kColours[i % kColours.size()], false);
    }
    return svg;
  }

  const std::vector<NamedCurve>& curves_;
  Unit unit_{1, "s"};
  std::vector<Trace> traces_;
  Axis x_, y_;
};

}  // namespace

std::string curve_svg(const std::vector<NamedCurve>& curves) { return Picture(curves).draw(); }

}  // namespace placer
