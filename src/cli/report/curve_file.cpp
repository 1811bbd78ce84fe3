#include "cli/report/curve_file.hpp"

#include <fmt/format.h>

#include "cli/shared/table.hpp"
#include "placer/base/errors.hpp"

namespace placer {

double first_mean_seconds(const std::vector<CurvePoint>& points) {
  constexpr std::int64_t kFirst = 100;
  double sum_seconds = 0, count = 0;
  std::int64_t before = 0;
  for (const CurvePoint& point : points) {
    if (before >= kFirst && count > 0) break;
    const auto length = static_cast<double>(point.evaluations - before);
    if (point.mean_seconds) {
      sum_seconds += *point.mean_seconds * length;
      count += length;
    }
    before = point.evaluations;
  }
  return count > 0 ? sum_seconds / count : 0;
}

void check_curve_file(const std::string& flag, const std::string& path) {
  if (path.ends_with(".svg") || path.ends_with(".csv")) return;
  throw Error(fmt::format("{}: expected a file that ends in .svg or .csv, found '{}'", flag, path));
}

std::string curve_text(const std::string& path, const std::vector<NamedCurve>& curves) {
  return path.ends_with(".csv") ? curve_csv(curves) : curve_svg(curves);
}

std::string curve_csv(const std::vector<NamedCurve>& curves) {
  Table table{{"curve", "evaluations", "wall_seconds", "mean_step_seconds", "best_step_seconds"},
              {}};
  const auto cell = [](const std::optional<double>& value) {
    return value ? fmt::format("{}", *value) : std::string();
  };
  for (const NamedCurve& curve : curves) {
    for (const CurvePoint& point : curve.points) {
      std::optional<double> best;
      if (point.best_step_ps) best = to_seconds(*point.best_step_ps);
      table.rows.push_back({curve.name, fmt::format("{}", point.evaluations),
                            cell(point.wall_seconds), cell(point.mean_seconds), cell(best)});
    }
  }
  return csv_table(table);
}

}  // namespace placer
