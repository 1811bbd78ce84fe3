#pragma once

#include <string>
#include <vector>

#include "cli/compare/summary.hpp"

namespace placer {

inline constexpr double kSignificant = 0.05;  // p-values below it

/// How an algorithm does on a graph beside the first one, in a sentence: "hill-climb is 3.1 %
/// slower than post (p = 0.0039)"; empty for the first one itself and without a run. A difference
/// that may be chance, or too few seeds to tell, is called so. The share is that of the medians, p
/// of the sign test.
std::string verdict_text(const AlgorithmSummary& row, const GraphSummary& graph,
                         const Comparison& comparison);

/// Those of all algorithms, after one that names the best of the graph.
std::vector<std::string> verdicts(const GraphSummary& graph, const Comparison& comparison);

}  // namespace placer
