#include "cli/shared/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/compare/report.hpp"
#include "cli/compare/tables.hpp"
#include "cli/compare/verdicts.hpp"
#include "cli/report/notices.hpp"
#include "cli/shared/layout.hpp"
#include "cli/shared/table.hpp"
#include "placer/base/text.hpp"

namespace placer {
namespace {

/// "exhaustive failed: expected ..."
std::string failures_text(const GraphSummary& summary, const Comparison& comparison,
                          bool markdown) {
  std::string text;
  const auto add = [&](const std::string& name, const std::string& reason) {
    text += fmt::format("\n{} failed: {}\n", name,
                        markdown ? markdown_text(reason) : printable(reason));
  };
  for (const AlgorithmSummary& row : summary.algorithms) {
    if (row.failed > 0) add(row.name, row.reason);
  }
  for (const Floor& floor : comparison.floors) {
    if (&comparison.graphs[floor.graph] != summary.graph) continue;
    if (floor.failure) add(name_of(floor), floor.failure->reason);
  }
  return text;
}

/// "hierarchical collapsed to gpu:0 in 2 of 3 runs"
std::string collapses_text(const GraphSummary& summary) {
  const Topology& topology = summary.graph->loaded.problem.topology();
  std::string text;
  for (const AlgorithmSummary& row : summary.algorithms) {
    std::vector<std::string> places;
    for (const auto& [device, runs] : row.collapsed) {
      places.push_back(fmt::format("to {} in {}", topology.device(device).name, runs));
    }
    if (places.empty()) continue;
    text +=
        fmt::format("\n{} collapsed {} of {} runs\n", row.name, join(places, " and "), row.runs);
  }
  return text;
}

/// Why --floor has added no row.
std::string no_floor_text(const GraphSummary& summary, const Comparison& comparison) {
  const auto is_here = [&](const Floor& floor) {
    return &comparison.graphs[floor.graph] == summary.graph;
  };
  if (!comparison.wants_floors || comparison.interrupted) return "";
  if (std::ranges::any_of(comparison.floors, is_here)) return "";
  return "\nNo algorithm merges groups here: the floor is what auto finds.\n";
}

std::string machines_text(const Comparison& comparison, const Look& look) {
  for (const ComparedGraph& graph : comparison.graphs) {
    if (graph.loaded.standard_devices) return machine_text(graph.loaded, look);
  }
  return {};
}

std::string legend_text(const Comparison& comparison) {
  if (comparison.orders.size() > 1) {
    return "Medians over the seeds, a column for each order; a run that does not fit counts as "
           "infinitely slow. --runs, csv and json have more.\n";
  }
  std::string text =
      "Quartiles are interpolated linearly (type 7); a run that does not fit counts as infinitely "
      "slow. The gap is that of the median over the lower bound, the ratio that of the median to "
      "the least of all. Own best (of the algorithm's own "
      "samples, without starts and refinement), evaluations, to best (the "
      "evaluation that found the best), time to best and recent mean (of the last 100 evaluations) "
      "are medians. A search pays after as many steps as save the time that it took, beside one "
      "device alone. A learner has collapsed to a device where 90 of "
      "its last 100 samples put all that has a choice there.";
  if (comparison.algorithms.size() > 1) {
    text += fmt::format(
        " Against {}: seeds won-lost(-tied) by the step time and the two-sided p-value of the sign "
        "test.",
        comparison.algorithms.front().label);
  }
  return text + "\n";
}

/// All of a few; of many only the first, since the table says the rest.
std::vector<std::string> shown_verdicts(const GraphSummary& summary, const Comparison& comparison) {
  constexpr std::size_t kMost = 9;
  std::vector<std::string> list = verdicts(summary, comparison);
  if (list.size() > kMost) list.resize(1);
  return list;
}

}  // namespace

std::string compare_tables(const Comparison& comparison, bool markdown, bool each_run,
                           const Look& look) {
  std::string text =
      machines_text(comparison, markdown ? Look{} : look) + rules_text(comparison) + "\n";
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
    const Table table = each_run                       ? run_table(summary, comparison)
                        : comparison.orders.size() > 1 ? order_table(summary, comparison)
                                                       : summary_table(summary, comparison);
    text += markdown ? markdown_table(table) : text_table(table, look);
    if (!each_run && comparison.orders.size() == 1) {
      text += "\n";
      for (const std::string& verdict : shown_verdicts(summary, comparison)) {
        text += markdown ? "* " + markdown_text(verdict) + "\n"
                         : wrapped(verdict + "\n", std::min(look.width, kProseWidth), 0);
      }
    }
    text += collapses_text(summary) + no_floor_text(summary, comparison) +
            failures_text(summary, comparison, markdown);
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

std::string compare_latex(const Comparison& comparison, bool each_run) {
  std::string text;
  for (const GraphSummary& summary : summarize(comparison)) {
    const LoadedProblem& loaded = summary.graph->loaded;
    const Table table =
        each_run ? run_table(summary, comparison) : paper_table(summary, comparison);
    text += fmt::format(
        "{}\\begin{{table}}\n\\centering\n\\caption{{{} on {}. {}}}\n{}\\end{{table}}\n",
        text.empty() ? "" : "\n", latex_text(loaded.graph_name), latex_text(loaded.devices_name),
        latex_text(rules_text(comparison)), latex_table(table));
  }
  return text;
}

std::string compare_report(const Comparison& comparison, CompareFormat format, bool each_run,
                           const Look& look) {
  switch (format) {
    case CompareFormat::kCsv:
      return compare_csv(comparison, each_run);
    case CompareFormat::kLatex:
      return compare_latex(comparison, each_run);
    case CompareFormat::kJson:
      return compare_json(comparison);
    default:
      return compare_tables(comparison, format == CompareFormat::kMarkdown, each_run, look);
  }
}

}  // namespace placer
