#pragma once

#include <string>
#include <vector>

#include "cli/compare/runs.hpp"

namespace placer {

/// How an algorithm does on a graph, beside the others.
struct GraphRatio {
  std::size_t graph = 0;  // its position in the comparison
  double ratio = 1;       // of its median step time over the least median of all algorithms
};

/// By algorithm of the comparison, its ratios on all graphs where it has a run that fits, from the
/// least to the largest.
std::vector<std::vector<GraphRatio>> ratios_to_best(const Comparison& comparison);

/// The distribution of the ratios over the graphs (a CDF) of each algorithm, as a table (.csv) or a
/// picture, as `path` ends. A graph where nothing fits counts as an infinite ratio.
std::string shares_text(const Comparison& comparison, const std::string& path);

}  // namespace placer
