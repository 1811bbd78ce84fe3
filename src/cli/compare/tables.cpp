#include "cli/compare/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/shared/text.hpp"

namespace placer {
namespace {

std::string seconds_text(double seconds) {
  return std::isfinite(seconds) ? time_text(to_picoseconds(seconds)) : "does not fit";
}

std::string gap_text(std::optional<double> gap) {
  return gap && std::isfinite(*gap) ? share_text(*gap) : "";
}

std::string ratio_text(const AlgorithmSummary& row) {
  return row.ratio_to_best ? fmt::format("{:.3f}", *row.ratio_to_best) : "";
}

std::string pays_text(const AlgorithmSummary& row) {
  if (!row.pays_after_steps) return "";
  return fmt::format("{:.0f} step{}", *row.pays_after_steps, *row.pays_after_steps == 1 ? "" : "s");
}

std::string test_text(const std::optional<SignTest>& test) {
  if (!test) return "";
  const std::string ties = test->ties > 0 ? fmt::format("-{}", test->ties) : "";
  return fmt::format("{}-{}{}, p {:.2g}", test->wins, test->losses, ties, test->p_value);
}

std::string runs_text(const AlgorithmSummary& row) {
  const std::string runs = row.deterministic ? "1 (deterministic)" : fmt::format("{}", row.runs);
  return row.failed > 0 ? fmt::format("{}, {} failed", runs, row.failed) : runs;
}

std::vector<std::string> summary_row(const AlgorithmSummary& row) {
  if (row.runs == 0) return {row.algorithm, runs_text(row), "failed"};
  return {row.algorithm,
          runs_text(row),
          seconds_text(row.median_seconds),
          seconds_text(row.quartile_1_seconds),
          seconds_text(row.quartile_3_seconds),
          seconds_text(row.least_seconds),
          seconds_text(row.best_sample_seconds),
          gap_text(row.gap),
          ratio_text(row),
          share_text(row.fits_share),
          seconds_text(row.recent_mean_seconds),
          fmt::format("{}", row.evaluations),
          fmt::format("{}", row.evaluations_to_best),
          seconds_text(row.seconds_to_best),
          pays_text(row),
          test_text(row.against_first)};
}

std::string single_name(const std::optional<SingleDevice>& single, const Topology& topology) {
  return single ? fmt::format("one device ({})", topology.device(single->device).name)
                : "one device";
}

std::string single_text(const std::optional<SingleDevice>& single) {
  return single ? time_text(single->score.step_ps) : "does not fit";
}

std::string gap_of(const Score& score, const ComparedGraph& graph) {
  const Picoseconds bound = graph.bounds.best_ps();
  if (bound == 0) return "";
  return share_text(static_cast<double>(score.step_ps - bound) / static_cast<double>(bound));
}

std::vector<std::string> single_row(const ComparedGraph& graph) {
  const std::optional<SingleDevice>& single = graph.singles.front();
  const std::string name = single_name(single, graph.loaded.problem.topology());
  if (!single) return {name, "", single_text(single)};
  return {name, "", single_text(single), "", "", "", "", gap_of(single->score, graph)};
}

std::string other_text(const OtherPlacement& other) {
  return other.score.fits() ? time_text(other.score.step_ps) : "does not fit";
}

std::vector<std::string> other_row(const OtherPlacement& other, const ComparedGraph& graph) {
  if (!other.score.fits()) return {other.name, "", other_text(other)};
  return {other.name, "", other_text(other), "", "", "", "", gap_of(other.score, graph)};
}

std::string budget_text(const Budget& budget) {
  std::vector<std::string> parts;
  if (budget.evaluations < Budget{}.evaluations) {
    parts.push_back(fmt::format("{} evaluations", budget.evaluations));
  }
  if (std::isfinite(budget.seconds)) parts.push_back(fmt::format("{} s", budget.seconds));
  return join(parts, " or ");
}

double floor_seconds(const Floor& floor) {
  return floor.score.fits() ? to_seconds(floor.score.step_ps) : INFINITY;
}

std::string floor_text(const Floor& floor) {
  return floor.failure ? "failed" : seconds_text(floor_seconds(floor));
}

std::vector<std::string> floor_row(const Floor& floor, const ComparedGraph& graph) {
  if (floor.failure) return {name_of(floor), "1", floor_text(floor)};
  const double bound_seconds = to_seconds(graph.bounds.best_ps());
  const std::string gap =
      bound_seconds > 0 ? gap_text((floor_seconds(floor) - bound_seconds) / bound_seconds) : "";
  return {name_of(floor), "1", floor_text(floor), "", "", "", "", gap};
}

/// The row of `table` that begins with `name`, a new one at its end where there is none.
std::vector<std::string>& row_named(const std::string& name, Table& table) {
  for (auto& row : table.rows) {
    if (row.front() == name) return row;
  }
  table.rows.emplace_back(table.header.size()).front() = name;
  return table.rows.back();
}

}  // namespace

std::string rules_text(const Comparison& comparison) {
  std::vector<std::string> groups;
  for (std::size_t i = 0; i < comparison.algorithms.size(); ++i) {
    const std::string text = grouping_text(request_of(comparison, i).grouping);
    if (std::ranges::find(groups, text) == groups.end()) groups.push_back(text);
  }
  return fmt::format("Each run has {}; seeds 1 to {}, order {}, groups {}.",
                     budget_text(comparison.request.budget), comparison.seeds,
                     orders_text(comparison), join(groups, " or "));
}

std::string grouping_text(const Grouping& grouping) {
  if (grouping.kind == Grouping::Kind::kCount) return fmt::format("{}", grouping.count);
  return grouping.kind == Grouping::Kind::kAuto ? "auto" : "none";
}

std::string orders_text(const Comparison& comparison) {
  std::string text;
  for (const Order order : comparison.orders) text += (text.empty() ? "" : ",") + name_of(order);
  return text;
}

std::string name_of(const Floor& floor) {
  return fmt::format("auto in {} groups", floor.failure ? floor.wanted_groups : floor.groups);
}

Table summary_table(const GraphSummary& summary, const Comparison& comparison) {
  Table table{
      {"algorithm", "runs", "median", "quartile 1", "quartile 3", "least", "own best", "gap",
       "ratio", "fits", "recent mean", "evaluations", "to best", "time to best", "pays after"},
      {}};
  const bool tested = comparison.algorithms.size() > 1;
  if (tested) table.header.push_back("against " + comparison.algorithms.front().label);
  for (const AlgorithmSummary& row : summary.algorithms) table.rows.push_back(summary_row(row));
  for (const Floor& floor : comparison.floors) {
    if (&comparison.graphs[floor.graph] == summary.graph) {
      table.rows.push_back(floor_row(floor, *summary.graph));
    }
  }
  for (const OtherPlacement& other : summary.graph->others.front()) {
    table.rows.push_back(other_row(other, *summary.graph));
  }
  table.rows.push_back(single_row(*summary.graph));
  table.rows.push_back({"lower bound", "", time_text(summary.graph->bounds.best_ps())});
  for (auto& row : table.rows) {
    if (!tested && row.size() > table.header.size()) row.pop_back();
  }
  return table;
}

Table paper_table(const GraphSummary& summary, const Comparison& comparison) {
  Table table{{"algorithm", "runs", "median", "quartiles", "least", "gap", "ratio"}, {}};
  const bool tested = comparison.algorithms.size() > 1;
  if (tested) table.header.push_back("p");
  for (const AlgorithmSummary& row : summary.algorithms) {
    if (row.runs == 0) {
      table.rows.push_back({row.name, runs_text(row), "failed"});
      continue;
    }
    table.rows.push_back({row.name, fmt::format("{}", row.runs), seconds_text(row.median_seconds),
                          fmt::format("{} to {}", seconds_text(row.quartile_1_seconds),
                                      seconds_text(row.quartile_3_seconds)),
                          seconds_text(row.least_seconds), gap_text(row.gap), ratio_text(row)});
    if (tested) {
      table.rows.back().push_back(
          row.against_first ? fmt::format("{:.2g}", row.against_first->p_value) : "");
    }
  }
  for (const OtherPlacement& other : summary.graph->others.front()) {
    table.rows.push_back({other.name, "", other_text(other)});
  }
  const std::optional<SingleDevice>& single = summary.graph->singles.front();
  table.rows.push_back(
      {single_name(single, summary.graph->loaded.problem.topology()), "", single_text(single)});
  table.rows.push_back({"lower bound", "", time_text(summary.graph->bounds.best_ps())});
  return table;
}

Table order_table(const GraphSummary& summary, const Comparison& comparison) {
  Table table{{"algorithm"}, {}};
  for (const Order order : comparison.orders) table.header.push_back(name_of(order));
  for (const AlgorithmSummary& row : summary.algorithms) {
    row_named(row.algorithm, table)[1 + row.order] =
        row.runs > 0 ? seconds_text(row.median_seconds) : "failed";
  }
  for (const Floor& floor : comparison.floors) {
    if (&comparison.graphs[floor.graph] != summary.graph) continue;
    row_named(name_of(floor), table)[1 + floor.order] = floor_text(floor);
  }
  const Topology& topology = summary.graph->loaded.problem.topology();
  for (std::size_t order = 0; order < comparison.orders.size(); ++order) {
    for (const OtherPlacement& other : summary.graph->others[order]) {
      row_named(other.name, table)[1 + order] = other_text(other);
    }
  }
  for (std::size_t order = 0; order < comparison.orders.size(); ++order) {
    const std::optional<SingleDevice>& single = summary.graph->singles[order];
    row_named(single_name(single, topology), table)[1 + order] = single_text(single);
  }
  std::vector<std::string> bounds(table.header.size(), time_text(summary.graph->bounds.best_ps()));
  bounds.front() = "lower bound";
  table.rows.push_back(std::move(bounds));
  return table;
}

Table run_table(const GraphSummary& summary, const Comparison& comparison) {
  Table table{{"algorithm", "seed", "step time", "own best", "recent mean", "evaluations",
               "to best", "time to best", "wall time", "groups", "stopped by"},
              {}};
  for (const RunRecord& run : comparison.runs) {
    if (&comparison.graphs[run.graph] != summary.graph) continue;
    table.rows.push_back(
        {comparison.name_of(run.algorithm), fmt::format("{}", run.seed),
         seconds_text(run.step_seconds()), seconds_text(run.best_sample_seconds()),
         seconds_text(run.result.recent_mean_seconds), fmt::format("{}", run.result.evaluations),
         fmt::format("{}", run.evaluations_to_best()), seconds_text(run.result.seconds_to_best),
         seconds_text(run.result.wall_seconds), fmt::format("{}", run.result.groups),
         name_of(run.result.stopped)});
  }
  for (const FailedRun& run : comparison.failures) {
    if (&comparison.graphs[run.graph] != summary.graph) continue;
    table.rows.push_back(
        {comparison.name_of(run.algorithm), fmt::format("{}", run.seed), "failed"});
  }
  return table;
}

}  // namespace placer
