#pragma once

#include <string>

#include "cli/compare/summary.hpp"
#include "placer/base/names.hpp"

namespace placer {

enum class CompareFormat { kText, kMarkdown, kLatex, kCsv, kJson };
constexpr Names<5> names_of(CompareFormat) { return {"text", "markdown", "latex", "csv", "json"}; }

/// What `compare` prints: a table for each graph (text, Markdown, LaTeX), one table with a row for
/// each graph and algorithm (CSV), or one object (JSON). With `each_run` the tables have a row for
/// each run instead; JSON holds both in any case.
std::string compare_report(const Comparison& comparison, CompareFormat format, bool each_run,
                           const Look& look);

/// The parts of it. For people:
std::string compare_tables(const Comparison& comparison, bool markdown, bool each_run,
                           const Look& look);
/// For papers: tables that need no package.
std::string compare_latex(const Comparison& comparison, bool each_run);
/// The report for programs. Infinite numbers are null, or empty cells.
std::string compare_csv(const Comparison& comparison, bool each_run);
std::string compare_json(const Comparison& comparison);

}  // namespace placer
