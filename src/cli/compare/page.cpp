#include "cli/compare/page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/compare/curves.hpp"
#include "cli/compare/report.hpp"
#include "cli/compare/tables.hpp"
#include "cli/compare/verdicts.hpp"
#include "cli/report/page_parts.hpp"
#include "placer/base/markup.hpp"

namespace placer {
namespace {

std::string row_html(const std::vector<std::string>& cells, std::size_t columns, const char* tag) {
  std::string text = "<tr>";
  for (std::size_t i = 0; i < columns; ++i) {
    text += fmt::format("<{0}{1}>{2}</{0}>", tag, i == 0 ? " class=\"word long\"" : "",
                        i < cells.size() ? markup_text(cells[i]) : "");
  }
  return text + "</tr>\n";
}

std::string table_html(const Table& table) {
  const std::size_t columns = table.header.size();
  std::string text = "<div class=\"wide\" tabindex=\"0\"><table>\n<thead>" +
                     row_html(table.header, columns, "th") + "</thead>\n<tbody>";
  for (const auto& row : table.rows) text += row_html(row, columns, "td");
  return text + "</tbody></table></div>\n";
}

std::string graph_html(const GraphSummary& summary, const Comparison& comparison) {
  const LoadedProblem& loaded = summary.graph->loaded;
  std::string text = fmt::format("<section>\n<h2>{} on {}</h2>\n<ul>\n",
                                 markup_text(loaded.graph_name), markup_text(loaded.devices_name));
  for (const std::string& verdict : verdicts(summary, comparison)) {
    text += fmt::format("<li>{}</li>\n", markup_text(verdict));
  }
  const auto graph = static_cast<std::size_t>(summary.graph - comparison.graphs.data());
  text +=
      fmt::format("</ul>\n<figure class=\"charts\">{}</figure>\n", curves_svg(comparison, graph));
  text += table_html(comparison.orders.size() > 1 ? order_table(summary, comparison)
                                                  : summary_table(summary, comparison));
  return text + "<details><summary>every run</summary>\n" +
         table_html(run_table(summary, comparison)) + "</details>\n</section>\n";
}

std::string heading_of(const Comparison& comparison) {
  std::vector<std::string> names;
  for (const ComparedGraph& graph : comparison.graphs) names.push_back(graph.loaded.graph_name);
  return fmt::format("{} compared on {}",
                     comparison.algorithms.size() == 1
                         ? "1 algorithm"
                         : fmt::format("{} algorithms", comparison.algorithms.size()),
                     names.size() > 3 ? fmt::format("{} graphs", names.size()) : join(names));
}

/// The best of the first graphs, and under which rules.
std::string answer_of(const std::vector<GraphSummary>& summaries, const Comparison& comparison) {
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(summaries.size(), 2); ++i) {
    text += verdicts(summaries[i], comparison).front() + " ";
  }
  return text + rules_text(comparison);
}

}  // namespace

std::string compare_page(const Comparison& comparison, const std::string& command) {
  const std::vector<GraphSummary> summaries = summarize(comparison);
  return whole_page("compare", heading_of(comparison), [&](std::string_view name) {
    if (name == "heading") return markup_text(heading_of(comparison));
    if (name == "answer") return markup_text(answer_of(summaries, comparison));
    if (name == "command") return markup_text(command);
    if (name == "data") return script_json(compare_json(comparison));
    std::string text;
    for (const GraphSummary& summary : summaries) text += graph_html(summary, comparison);
    return text;
  });
}

}  // namespace placer
