#pragma once

#include <string>
#include <vector>

#include "cli/report/chart.hpp"
#include "placer/search/run.hpp"

namespace placer {

struct NamedCurve {
  std::string name;
  std::vector<CurvePoint> points;
  std::int64_t samples = 0;  // the learner's own evaluations; what follows refines
};

/// Mean step time of the first 100 evaluations or, where windows are longer, of the first window.
double first_mean_seconds(const std::vector<CurvePoint>& points);

/// Throws Error, with the name of the flag, for a path that ends neither in .svg nor in .csv.
void check_curve_file(const std::string& flag, const std::string& path);

/// A table or a picture, as the path ends. One curve is in seconds; of several, each is over the
/// mean of its own first 100 evaluations, so that graphs compare.
std::string curve_text(const std::string& path, const std::vector<NamedCurve>& curves);

/// The picture: mean solid, best so far dashed, step time against evaluations, with the wall time
/// below them. One curve has `levels`, in seconds, beside it.
std::string curve_svg(const std::vector<NamedCurve>& curves,
                      const std::vector<ChartMark>& levels = {});
std::string curve_csv(const std::vector<NamedCurve>& curves);

}  // namespace placer
