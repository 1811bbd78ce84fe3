#include "cli/shared/table.hpp"

#include <catch2/catch.hpp>

namespace placer {
namespace {

const Table kTable{{"algorithm", "median"},
                   {{"heft", "1 s"}, {"a|b, \"c\"", "22.55 ms"}, {"none"}}};

TEST_CASE("A text table has its first column to the left and the others to the right") {
  CHECK(text_table(kTable) ==
        "algorithm    median\n"
        "heft            1 s\n"
        "a|b, \"c\"   22.55 ms\n"
        "none\n");
}

TEST_CASE("A Markdown table escapes bars and fills short rows") {
  CHECK(markdown_table(kTable) ==
        "| algorithm | median |\n"
        "| --- | ---: |\n"
        "| heft | 1 s |\n"
        "| a\\|b, \"c\" | 22.55 ms |\n"
        "| none |  |\n");
}

TEST_CASE("A CSV table quotes commas and doubles quotes") {
  CHECK(csv_table(kTable) ==
        "algorithm,median\n"
        "heft,1 s\n"
        "\"a|b, \"\"c\"\"\",22.55 ms\n"
        "none,\n");
}

TEST_CASE("Markup in a Markdown cell is shown, not followed") {
  CHECK(markdown_text("<b>*x*</b> [y](z) & `c` \\") ==
        "&lt;b>\\*x\\*&lt;/b> \\[y\\](z) &amp; \\`c\\` \\\\");
  CHECK(markdown_text("a\nb\x1b[1m") == "a\\\\x0ab\\\\x1b\\[1m");
}

TEST_CASE("A CSV cell that a spreadsheet would run begins with an apostrophe, a number does not") {
  CHECK(csv_table({{"name", "change"},
                   {{"=1+2", "-1.5"}, {"@sum", "+x"}, {"-a,b", "-1e-3"}, {"a=b", "-"}}}) ==
        "name,change\n"
        "'=1+2,-1.5\n"
        "'@sum,'+x\n"
        "\"'-a,b\",-1e-3\n"
        "a=b,'-\n");
}

}  // namespace
}  // namespace placer
