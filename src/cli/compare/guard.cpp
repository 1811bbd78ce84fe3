#include "cli/compare/guard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/shared/regression.hpp"
#include "placer/io/files.hpp"
#include "placer/io/json_reader.hpp"

namespace placer {
namespace {

constexpr double kLongestSeconds = 9e6;  // the horizon of the cost model

EarlierMedian read_median(const std::string& graph, const JsonCursor& cursor) {
  JsonObject object(cursor);
  EarlierMedian read{graph, std::string(object.required("algorithm").name()),
                     std::string(object.required("order").name()),
                     std::numeric_limits<double>::infinity()};
  const JsonCursor median = object.required("median_seconds");
  if (!median.is_null()) read.median_seconds = median.number(0, kLongestSeconds);
  return read;
}

void check_rules(JsonObject& object, const Comparison& comparison) {
  const auto check = [](const JsonCursor& cursor, std::int64_t wanted) {
    if (cursor.is_null() || cursor.integer(0) == wanted) return;
    cursor.fail(fmt::format("{} as in this comparison", wanted));
  };
  check(object.required("seeds"), comparison.seeds);
  const JsonCursor budget = object.required("budget");
  JsonObject rules(budget);
  if (comparison.request.budget.evaluations < Budget{}.evaluations) {
    check(rules.required("evaluations"), comparison.request.budget.evaluations);
  }
}

const EarlierMedian& find(const EarlierComparison& earlier, const std::string& graph,
                          const AlgorithmSummary& row, const std::string& order) {
  for (const EarlierMedian& median : earlier.medians) {
    if (median.graph == graph && median.algorithm == row.algorithm && median.order == order) {
      return median;
    }
  }
  throw Error(fmt::format("{}: graphs: expected {} on {}, found no such row", earlier.file,
                          row.name, graph));
}

}  // namespace

EarlierComparison read_earlier(const std::string& path, const Comparison& comparison) {
  EarlierComparison earlier{file_title(path), {}};
  const JsonDocument root = parse_json(read_text(path), earlier.file);
  const JsonCursor cursor(root, earlier.file);
  JsonObject object(cursor);
  check_rules(object, comparison);
  object.required("graphs").for_each_element([&](const JsonCursor& element) {
    JsonObject graph(element);
    const std::string name(graph.required("graph").name());
    graph.required("algorithms").for_each_element([&](const JsonCursor& row) {
      earlier.medians.push_back(read_median(name, row));
    });
  });
  return earlier;
}

std::vector<std::string> slower_than_earlier(const Comparison& comparison,
                                             const EarlierComparison& earlier, double tolerance) {
  std::vector<std::string> lines;
  for (const GraphSummary& graph : summarize(comparison)) {
    const std::string& name = graph.graph->loaded.graph_name;
    for (const AlgorithmSummary& row : graph.algorithms) {
      if (row.runs == 0) continue;
      const EarlierMedian& before = find(earlier, name, row, name_of(comparison.orders[row.order]));
      if (!std::isfinite(before.median_seconds)) continue;
      const std::string who = fmt::format("{} on {} has become worse than {} says: median",
                                          row.name, name, earlier.file);
      if (!std::isfinite(row.median_seconds)) {
        lines.push_back(who + " does not fit any more");
        continue;
      }
      const Score now{.step_ps = to_picoseconds(row.median_seconds)};
      const Score then{.step_ps = to_picoseconds(before.median_seconds)};
      if (is_worse(now, then, tolerance)) {
        lines.push_back(fmt::format("{} {}", who, worse_text(now, then, tolerance)));
      }
    }
  }
  return lines;
}

bool tell_slower(const Comparison& comparison, const EarlierComparison& earlier, double tolerance,
                 const Console& console) {
  const std::vector<std::string> lines = slower_than_earlier(comparison, earlier, tolerance);
  for (const std::string& line : lines) {
    console.log.tell(EventLevel::kError, "", [&] { return line; });
  }
  return !lines.empty();
}

}  // namespace placer
