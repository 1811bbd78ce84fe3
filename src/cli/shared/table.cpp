#include "cli/shared/table.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "cli/shared/layout.hpp"
#include "placer/base/text.hpp"

namespace placer {
namespace {

using Cells = std::vector<std::string>;

std::string replaced(const std::string& text, char from, std::string_view to) {
  std::string result;
  for (const char letter : text) {
    if (letter == from) {
      result += to;
    } else {
      result += letter;
    }
  }
  return result;
}

std::string markdown_row(const Cells& cells, std::size_t columns) {
  std::string line = "|";
  for (std::size_t i = 0; i < columns; ++i) {
    line += fmt::format(" {} |", i < cells.size() ? markdown_text(cells[i]) : "");
  }
  return line + "\n";
}

bool is_number(std::string_view cell) {
  double number = 0;
  const auto end = std::from_chars(cell.data(), cell.data() + cell.size(), number);
  return end.ec == std::errc() && end.ptr == cell.data() + cell.size();
}

std::string csv_cell(const std::string& text) {
  const bool is_formula = !text.empty() &&
                          std::string_view("=+-@\t\r").find(text[0]) != std::string_view::npos &&
                          !is_number(text);
  const std::string cell = (is_formula ? "'" : "") + text;
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  return '"' + replaced(cell, '"', "\"\"") + '"';
}

std::string csv_row(const Cells& cells, std::size_t columns) {
  std::string line;
  for (std::size_t i = 0; i < columns; ++i) {
    if (i > 0) line += ',';
    if (i < cells.size()) line += csv_cell(cells[i]);
  }
  return line + "\n";
}

}  // namespace

std::string markdown_text(std::string_view text) {
  std::string safe;
  for (const char letter : printable(text)) {
    if (letter == '<') {
      safe += "&lt;";
    } else if (letter == '&') {
      safe += "&amp;";
    } else {
      if (std::string_view("\\`*[]|").find(letter) != std::string_view::npos) safe += '\\';
      safe += letter;
    }
  }
  return safe;
}

std::string text_table(const Table& table, const Look& look) {
  Rows rows = {table.header};
  rows.insert(rows.end(), table.rows.begin(), table.rows.end());
  return table_rows(std::move(rows), {}, look);
}

std::string markdown_table(const Table& table) {
  const std::size_t columns = table.header.size();
  std::string text = markdown_row(table.header, columns) + "|";
  for (std::size_t i = 0; i < columns; ++i) text += i == 0 ? " --- |" : " ---: |";
  text += "\n";
  for (const Cells& row : table.rows) text += markdown_row(row, columns);
  return text;
}

std::string latex_text(std::string_view text) {
  std::string safe;
  for (const char letter : printable(text)) {
    if (letter == '\\') {
      safe += "\\textbackslash{}";
    } else if (letter == '~' || letter == '^') {
      safe += fmt::format("\\{}{{}}", letter);
    } else {
      if (std::string_view("&%$#_{}").find(letter) != std::string_view::npos) safe += '\\';
      safe += letter;
    }
  }
  return safe;
}

std::string latex_table(const Table& table) {
  const std::size_t columns = table.header.size();
  const auto row_of = [&](const Cells& cells) {
    std::string line;
    for (std::size_t i = 0; i < columns; ++i) {
      line += (i == 0 ? "" : " & ") + (i < cells.size() ? latex_text(cells[i]) : "");
    }
    return line + " \\\\\n";
  };
  std::string text =
      fmt::format("\\begin{{tabular}}{{l{}}}\n\\hline\n", std::string(columns - 1, 'r'));
  text += row_of(table.header) + "\\hline\n";
  for (const Cells& row : table.rows) text += row_of(row);
  return text + "\\hline\n\\end{tabular}\n";
}

std::string csv_table(const Table& table) {
  std::string text = csv_row(table.header, table.header.size());
  for (const Cells& row : table.rows) text += csv_row(row, table.header.size());
  return text;
}

}  // namespace placer
