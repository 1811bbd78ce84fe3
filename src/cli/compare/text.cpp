
#include "cli/shared/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/compare/report.hpp"
#include "cli/report/notices.hpp"
#include "cli/shared/layout.hpp"
#include "cli/shared/table.hpp"
#include "placer/base/text.hpp"

namespace placer {
namespace {

std::string seconds_text(double seconds) {
  return std::isfinite(seconds) ? time_text(to_picoseconds(seconds)) : "does not fit";
}

std::string gap_text(std::optional<double> gap) {
  return gap && std::isfinite(*gap) ? share_text(*gap) : "";
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
          share_text(row.fits_share),
          seconds_text(row.recent_mean_seconds),
          fmt::format("{}", row.evaluations),
          fmt::format("{}", row.evaluations_to_best),
          seconds_text(row.seconds_to_best),
          test_text(row.against_first)};
}

std::vector<std::string> single_row(const ComparedGraph& graph) {
  if (!graph.single) return {"one device", "", "does not fit"};
  const Topology& topology = graph.loaded.problem.topology();
  const Picoseconds bound = graph.bounds.best_ps(), step = graph.single->score.step_ps;
  const std::string gap =
      bound > 0 ? share_text(static_cast<double>(step - bound) / static_cast<double>(bound)) : "";
  return {fmt::format("one device ({})", topology.device(graph.single->device).name),
          "",
          time_text(step),
          "",
          "",
          "",
          "",
          gap};
}

std::string name_of(const Floor& floor) {
  return fmt::format("auto in {} groups", floor.failure ? floor.wanted_groups : floor.groups);
}

std::vector<std::string> floor_row(const Floor& floor, const ComparedGraph& graph) {
  if (floor.failure) return {name_of(floor), "1", "failed"};
  const double bound_seconds = to_seconds(graph.bounds.best_ps());
  const double seconds = floor.score.fits() ? to_seconds(floor.score.step_ps) : INFINITY;
  const std::string gap =
      bound_seconds > 0 ? gap_text((seconds - bound_seconds) / bound_seconds) : "";
  return {name_of(floor), "1", seconds_text(seconds), "", "", "", "", gap};
}

Table summary_table(const GraphSummary& summary, const Comparison& comparison) {
  Table table{{"algorithm", "runs", "median", "quartile 1", "quartile 3", "least", "own best",
               "gap", "fits", "recent mean", "evaluations", "to best", "time to best"},
              {}};
  const bool tested = comparison.algorithms.size() > 1;
  if (tested) table.header.push_back("against " + comparison.algorithms.front().label);
  for (const AlgorithmSummary& row : summary.algorithms) table.rows.push_back(summary_row(row));
  for (const Floor& floor : comparison.floors) {
    if (&comparison.graphs[floor.graph] == summary.graph) {
      table.rows.push_back(floor_row(floor, *summary.graph));
    }
  }
  table.rows.push_back(single_row(*summary.graph));
  table.rows.push_back({"lower bound", "", time_text(summary.graph->bounds.best_ps())});
  for (auto& row : table.rows) {
    if (!tested && row.size() > table.header.size()) row.pop_back();
  }
  return table;
}

/// "exhaustive failed: expected ..."
std::string failures_text(const GraphSummary& summary, const Comparison& comparison,
                          bool markdown) {
  std::string text;
  const auto add = [&](const std::string& name, const std::string& reason) {
    text += fmt::format("\n{} failed: {}\n", name,
                        markdown ? markdown_text(reason) : printable(reason));
  };
  for (const AlgorithmSummary& row : summary.algorithms) {
    if (row.failed > 0) add(row.algorithm, row.reason);
  }
  for (const Floor& floor : comparison.floors) {
    if (&comparison.graphs[floor.graph] != summary.graph) continue;
    if (floor.failure) add(name_of(floor), floor.failure->reason);
  }
  return text;
}

/// "hierarchical collapsed to one device in 2 of 3 runs"
std::string collapses_text(const GraphSummary& summary) {
  std::string text;
  for (const AlgorithmSummary& row : summary.algorithms) {
    if (row.collapsed == 0) continue;
    text += fmt::format("\n{} collapsed to one device in {} of {} runs\n", row.algorithm,
                        row.collapsed, row.runs);
  }
  return text;
}

Table run_table(const GraphSummary& summary, const Comparison& comparison) {
  Table table{{"algorithm", "seed", "step time", "own best", "recent mean", "evaluations",
               "to best", "time to best", "wall time", "groups", "stopped by"},
              {}};
  for (const RunRecord& run : comparison.runs) {
    if (&comparison.graphs[run.graph] != summary.graph) continue;
    table.rows.push_back(
        {comparison.algorithms[run.algorithm].label, fmt::format("{}", run.seed),
         seconds_text(run.step_seconds()), seconds_text(run.best_sample_seconds()),
         seconds_text(run.result.recent_mean_seconds), fmt::format("{}", run.result.evaluations),
         fmt::format("{}", run.evaluations_to_best()), seconds_text(run.result.seconds_to_best),
         seconds_text(run.result.wall_seconds), fmt::format("{}", run.result.groups),
         name_of(run.result.stopped)});
  }
  for (const FailedRun& run : comparison.failures) {
    if (&comparison.graphs[run.graph] != summary.graph) continue;
    table.rows.push_back(
        {comparison.algorithms[run.algorithm].label, fmt::format("{}", run.seed), "failed"});
  }
  return table;
}

std::string budget_text(const Budget& budget) {
  std::vector<std::string> parts;
  if (budget.evaluations < Budget{}.evaluations) {
    parts.push_back(fmt::format("{} evaluations", budget.evaluations));
  }
  if (std::isfinite(budget.seconds)) parts.push_back(fmt::format("{} s", budget.seconds));
  return join(parts, " or ");
}

std::string rules_text(const Comparison& comparison) {
  const Grouping& grouping = comparison.request.grouping;
  const std::string groups = grouping.kind == Grouping::Kind::kCount
                                 ? fmt::format("{}", grouping.count)
                             : grouping.kind == Grouping::Kind::kAuto ? "auto"
                                                                      : "none";
  return fmt::format("Each run has {}; seeds 1 to {}, order {}, groups {}.\n",
                     budget_text(comparison.request.budget), comparison.seeds,
                     name_of(comparison.request.order), groups);
}

std::string machines_text(const Comparison& comparison, const Look& look) {
  for (const ComparedGraph& graph : comparison.graphs) {
    if (graph.loaded.standard_devices) return machine_text(graph.loaded, look);
  }
  return {};
}

std::string legend_text(const Comparison& comparison) {
  std::string text =
      "Quartiles are interpolated linearly (type 7); a run that does not fit counts as infinitely "
      "slow. The gap is that of the median over the lower bound. Own best (of the algorithm's own "
      "samples, without starts and refinement), evaluations, to best (the "
      "evaluation that found the best), time to best and recent mean (of the last 100 evaluations) "
      "are medians. A learner has collapsed to a device where 90 of "
      "its last 100 samples put all that has a choice there.";
  if (comparison.algorithms.size() > 1) {
    text += fmt::format(
        " Against {}: seeds won-lost(-tied) and the two-sided p-value of the sign test.",
        comparison.algorithms.front().label);
  }
  return text + "\n";
}

}  // namespace

std::string compare_tables(const Comparison& comparison, bool markdown, bool each_run,
                           const Look& look) {
  std::string text = machines_text(comparison, markdown ? Look{} : look) + rules_text(comparison);
  for (const GraphSummary& summary : summarize(comparison)) {
    const Problem& problem = summary.graph->loaded.problem;
    const LoadedProblem& loaded = summary.graph->loaded;
    const auto shown = [&](const std::string& name) {
      return markdown ? markdown_text(name) : name;
    };
    text += fmt::format("\n{}{} on {}: {}\n{}", markdown ? "### " : "", shown(loaded.graph_name),
                        shown(loaded.devices_name),
                        grouped_text(problem.op_count(), problem.groups().size()),
                        markdown ? "\n" : "");
    const Table table =
        each_run ? run_table(summary, comparison) : summary_table(summary, comparison);
    text += markdown ? markdown_table(table) : text_table(table, look);
    text += collapses_text(summary) + failures_text(summary, comparison, markdown);
  }
  if (!each_run)
    text +=
        "\n" + (markdown ? legend_text(comparison)
                         : wrapped(legend_text(comparison), std::min(look.width, kProseWidth), 0));
  if (comparison.interrupted) {
    text += fmt::format("\nInterrupted: these are the {} runs that were complete.\n",
                        comparison.runs.size());
  }
  return text;
}

std::string compare_report(const Comparison& comparison, CompareFormat format, bool each_run,
                           const Look& look) {
  switch (format) {
    case CompareFormat::kCsv:
      return compare_csv(comparison, each_run);
    case CompareFormat::kJson:
      return compare_json(comparison);
    default:
      return compare_tables(comparison, format == CompareFormat::kMarkdown, each_run, look);
  }
}

}  // namespace placer
