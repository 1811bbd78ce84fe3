#include "cli/compare/failures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/compare/summary.hpp"
#include "cli/shared/text.hpp"
#include "placer/base/text.hpp"

namespace placer {

bool some_graph_never_fits(const Comparison& comparison) {
  const auto graphs = summarize(comparison);
  return std::ranges::any_of(graphs, [](const GraphSummary& graph) {
    return std::ranges::all_of(graph.algorithms,
                               [](const AlgorithmSummary& row) { return row.fits_share == 0; });
  });
}

std::vector<Failure> all_failures(const Comparison& comparison) {
  std::vector<Failure> failures;
  for (const FailedRun& run : comparison.failures) failures.push_back(run.failure);
  for (const Floor& floor : comparison.floors) {
    if (floor.failure) failures.push_back(*floor.failure);
  }
  return failures;
}

void tell_failures(const Comparison& comparison, const Console& console) {
  for (const GraphSummary& graph : summarize(comparison)) {
    for (const AlgorithmSummary& row : graph.algorithms) {
      if (row.failed == 0) continue;
      console.log.tell(EventLevel::kError, "", [&] {
        return fmt::format("{} on {}: {} failed: {}", row.name, graph.graph->loaded.graph_name,
                           counted(row.failed, "run"), row.reason);
      });
    }
  }
  for (const Floor& floor : comparison.floors) {
    if (!floor.failure) continue;
    console.log.tell(EventLevel::kError, "", [&] {
      return fmt::format("auto in {} groups on {} failed: {}", floor.wanted_groups,
                         comparison.graphs[floor.graph].loaded.graph_name, floor.failure->reason);
    });
  }
}

}  // namespace placer
