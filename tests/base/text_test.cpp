#include "placer/base/text.hpp"

#include <catch2/catch.hpp>

namespace placer {
namespace {

TEST_CASE("What a terminal could take for a command is shown as bytes, letters as they are") {
  CHECK(printable("plain ~") == "plain ~");
  CHECK(printable("Gr\u00f6\u00dfe \u4e2d") == "Gr\u00f6\u00dfe \u4e2d");
  CHECK(printable("a\x1b[31m\n\tb\x7f") == "a\\x1b[31m\\x0a\\x09b\\x7f");
  CHECK(printable("\u009b31m") == "\\xc2\\x9b31m");  // C1: begins a sequence
  CHECK(printable("a\u202eb\u2066") == "a\\xe2\\x80\\xaeb\\xe2\\x81\\xa6");  // turn the direction
  CHECK(printable("a\u2028b") == "a\\xe2\\x80\\xa8b");                       // ends a line
  CHECK(printable("a\uffff") == "a\\xef\\xbf\\xbf");                         // no character
  CHECK(printable("\ufffd\uff5e") == "\ufffd\uff5e");
  CHECK(printable("\u2014\u2060") == "\u2014\u2060");  // a dash and a joiner do not
}

TEST_CASE("Bytes that are no UTF-8 are shown one by one") {
  CHECK(printable("a\xff\xfe") == "a\\xff\\xfe");
  CHECK(printable("\xc3") == "\\xc3");                    // cut off
  CHECK(printable("\xc0\xaf") == "\\xc0\\xaf");           // overlong
  CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");  // a surrogate
  CHECK(printable(std::string("a\0b", 3)) == "a\\x00b");
}

TEST_CASE("Text is printable where showing it changes nothing") {
  for (const std::string text : {"", "plain", "\u00fc", "a\nb", "\u009b", "\u202e", "\xff"}) {
    INFO(printable(text));
    CHECK(is_printable(text) == (printable(text) == text));
  }
}

TEST_CASE("A list before a hint names 16 at most, one without a hint all") {
  std::vector<std::string> known(17, "a");
  known[15] = "b";
  CHECK(listed_before("", known).size() == 17 + 16 * 2);
  CHECK_THAT(listed_before(" (did you mean 'a'?)", known), Catch::EndsWith(", a, b and 1 more"));
  known.pop_back();
  CHECK_THAT(listed_before(" (did you mean 'a'?)", known), Catch::EndsWith(", a, b"));
}

TEST_CASE("A line is cut to so many bytes, not inside a letter") {
  CHECK(one_line("abcdef", 6) == "abcdef");
  CHECK(one_line("abcdefg", 6) == "abcdef...");
  CHECK(one_line("abcde\u00fc", 6) == "abcde...");
  CHECK(one_line("a\nb", 10) == "a\\x0ab");
  CHECK(one_line(std::string(5000, 'x'), 3) == "xxx...");
}

}  // namespace
}  // namespace placer
