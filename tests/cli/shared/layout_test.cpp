#include "cli/shared/layout.hpp"

#include <catch2/catch.hpp>

namespace placer {
namespace {

const Rows kLines = {
    {"case", "first", "second", "third"}, {"a", "1", "2", "3"}, {"bound", "10", "", "30"}};

TEST_CASE("Columns are as wide as their widest cell, numbers to the right") {
  CHECK(aligned({{"a", "1", "x"}, {"long", "22", "yy"}}, {2}) == "a      1  x\nlong  22  yy\n");
}

TEST_CASE("Long lines break at the last space that fits, and go on indented") {
  CHECK(wrapped("ab cd ef\nx\n", 5, 2) == "ab cd\n  ef\nx\n");
  CHECK(wrapped("unbreakable\n", 5, 2) == "unbreakable\n");
}

TEST_CASE("Columns are those of a terminal: accents one, Chinese two, colors none") {
  CHECK(columns_of("résumé") == 6);
  CHECK(columns_of("e\u0301") == 1);
  CHECK(columns_of("图形") == 4);
  CHECK(columns_of("\x1b[31mred\x1b[0m") == 3);
  CHECK(columns_of("\xff") == 1);
  CHECK(aligned({{"é", "1"}, {"图", "22"}}) == "é    1\n图  22\n");
}

TEST_CASE("A text is cut between characters and ends in dots; control characters are shown as ?") {
  CHECK(cut("gradient", 8) == "gradient");
  CHECK(cut("gradients", 8) == "gradi...");
  CHECK(cut("图形图形", 7) == "图形...");
  CHECK(cut("图形图形", 6) == "图...");
  CHECK(cut("a\nb\x1b", 8) == "a?b?");
  CHECK(cut("abc", 2) == "..");
}

TEST_CASE("A table that fits is one table, whatever the width") {
  CHECK(table_rows(kLines, {}, {.width = 27}) == aligned(kLines));
  CHECK(table_rows(kLines, {}, {}) == aligned(kLines));
}

TEST_CASE("A table too wide by a column repeats its first one, without rows that say nothing") {
  CHECK(table_rows(kLines, {}, {.width = 26}) ==
        "case   first  second\n"
        "a          1       2\n"
        "bound     10\n"
        "\n"
        "case   third\n"
        "a          3\n"
        "bound     30\n");
  CHECK(table_rows(kLines, {2}, {.width = 1}) ==
        "case   first\na          1\nbound     10\n\n"
        "case  second\na     2\n\n"
        "case   third\na          3\nbound     30\n");
}

TEST_CASE("A text too long for its line goes on below its own column, where that is wide enough") {
  const Rows rows = {{"name", "3", "a text of more than thirty columns here"}};
  CHECK(text_rows(rows, {2}, {.width = 40}) ==
        "name  3  a text of more than thirty\n         columns here\n");
  CHECK(text_rows(rows, {2}, {.width = 30}) ==
        "name  3  a text of more than\n    thirty columns here\n");
}

TEST_CASE("Verdicts are toned where there is color, and are as wide as without") {
  const Rows rows = {{"does not fit", "does not fit", "x"}, {"b", "improved", "y"}};
  CHECK(text_rows(rows, {1, 2}, {.width = 80, .color = true}) ==
        "does not fit  \x1b[31mdoes not fit\x1b[0m  x\n"
        "b             \x1b[32mimproved\x1b[0m      y\n");
  CHECK(text_rows(rows, {1, 2}, {.width = 80}).find('\x1b') == std::string::npos);
}

}  // namespace
}  // namespace placer
