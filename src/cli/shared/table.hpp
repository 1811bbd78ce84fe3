#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/shared/terminal.hpp"

namespace placer {

/// Cells under a header; rows may be shorter than it.
struct Table {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};

/// Columns two spaces apart, the first one to the left, the others to the right; where that is too
/// wide for `look`, several tables below each other, each with the first column.
std::string text_table(const Table& table, const Look& look = {});
/// `text` as Markdown that shows it letter by letter.
std::string markdown_text(std::string_view text);
/// A GitHub table with the same alignment; markup in cells is escaped.
std::string markdown_table(const Table& table);
/// `text` as LaTeX that shows it letter by letter.
std::string latex_text(std::string_view text);
/// A LaTeX tabular with the same alignment, without packages.
std::string latex_table(const Table& table);
/// RFC 4180, but lines end in "\n"; cells with commas, quotes or line ends are quoted. Text
/// that a spreadsheet would take for a formula (=, +, - or @ in front) begins with an apostrophe.
std::string csv_table(const Table& table);

}  // namespace placer
