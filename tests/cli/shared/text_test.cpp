#include "cli/shared/text.hpp"

#include <catch2/catch.hpp>

namespace placer {
namespace {

TEST_CASE("Times are shown with four digits in the unit that suits") {
  CHECK(time_text(0) == "0 s");
  CHECK(time_text(7) == "7.000 ps");
  CHECK(time_text(78'812'345'678) == "78.81 ms");
  CHECK(time_text(999'996'000) == "1.000 ms");
  CHECK(time_text(1'500'000'000'000) == "1.500 s");
  CHECK(time_text(123'400'000'000'000) == "123.4 s");
}

TEST_CASE("Bytes are shown in decimal units") {
  CHECK(bytes_text(999) == "999 B");
  CHECK(bytes_text(1000) == "1.000 kB");
  CHECK(bytes_text(12'884'901'888) == "12.88 GB");
}

TEST_CASE("Columns are as wide as their widest cell, numbers to the right") {
  CHECK(aligned({{"a", "1", "x"}, {"long", "22", "yy"}}, {2}) == "a      1  x\nlong  22  yy\n");
}

TEST_CASE("Long lines break at the last space that fits, and go on indented") {
  CHECK(wrapped("ab cd ef\nx\n", 5, 2) == "ab cd\n  ef\nx\n");
  CHECK(wrapped("unbreakable\n", 5, 2) == "unbreakable\n");
}

}  // namespace
}  // namespace placer
