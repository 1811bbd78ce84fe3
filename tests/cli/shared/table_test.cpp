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

}  // namespace
}  // namespace placer
