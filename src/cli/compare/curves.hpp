#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/compare/runs.hpp"

namespace placer {

/// How far an algorithm's runs on one graph have come after so many evaluations.
struct ComparedPoint {
  std::int64_t evaluations = 0;
  /// Of the best so far over the seeds; infinite where it does not fit yet.
  double median_seconds = 0, quartile_1_seconds = 0, quartile_3_seconds = 0;
  /// Of a learner's own samples in the window of its curve that ends here, the median over the
  /// seeds; empty elsewhere and after its last sample.
  std::optional<double> mean_seconds;
};

/// A point for each evaluation at which a run found something better, for each at which a window of
/// a learner's curve ends, and for the last. Empty without a run.
std::vector<ComparedPoint> compared_points(const std::vector<const RunRecord*>& runs, bool learns);

/// Those of an algorithm's runs on a graph, by position in the comparison.
std::vector<ComparedPoint> compared_points(const Comparison& comparison, std::size_t graph,
                                           std::size_t algorithm);

/// The points of all algorithms, as a table or a picture, as `path` ends.
std::string curves_text(const Comparison& comparison, const std::string& path);

/// Step times that are infinite or empty are empty cells.
std::string curves_csv(const Comparison& comparison);
/// A chart for each graph and order: the medians as stairs, the quartiles as bands, the means as
/// fine lines; lower bound and best single device across. The x axis is logarithmic where there are
/// a hundred evaluations or more.
std::string curves_svg(const Comparison& comparison);
/// The charts of one graph.
std::string curves_svg(const Comparison& comparison, std::size_t graph);

}  // namespace placer
