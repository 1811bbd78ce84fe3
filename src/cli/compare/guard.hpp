#pragma once

#include <string>
#include <vector>

#include "cli/compare/summary.hpp"
#include "cli/shared/command.hpp"

namespace placer {

/// The medians that an earlier comparison found.
struct EarlierMedian {
  std::string graph, algorithm, order;
  double median_seconds = 0;  // infinite where it does not fit
};
struct EarlierComparison {
  std::string file;
  std::vector<EarlierMedian> medians;
};

/// Reads what `compare --format json` wrote. Throws Error, also where it had another budget or
/// other seeds than `comparison`.
EarlierComparison read_earlier(const std::string& path, const Comparison& comparison);

/// Which medians are longer than the earlier ones by more than `tolerance`, a share of those, in a
/// line each. Throws Error for an algorithm on a graph that the earlier comparison has not.
std::vector<std::string> slower_than_earlier(const Comparison& comparison,
                                             const EarlierComparison& earlier, double tolerance);

/// Whether a median has become slower than it was; each that has is told.
bool tell_slower(const Comparison& comparison, const EarlierComparison& earlier, double tolerance,
                 const Console& console);

}  // namespace placer
