#include "cli/measure/printed.hpp"

#include <catch2/catch.hpp>

#include "placer/base/errors.hpp"
#include "support/problems.hpp"

namespace placer {
namespace {

using testing::alike;

std::string error_of(const std::string& printed) {
  try {
    parse_printed(printed, alike());
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST_CASE("The last line is the number of seconds") {
  CHECK(parse_printed("0.25", alike()).seconds == 0.25);
  CHECK(parse_printed("warming up 7\n 250ms \n\n", alike()).seconds == 0.25);
}

TEST_CASE("An object tells memory as well, on the last line or on several") {
  const PrintedRun line =
      parse_printed("log\n{\"seconds\": 2, \"memory_bytes\": {\"gpu:1\": 1024}}\n", alike());
  CHECK(line.seconds == 2);
  CHECK(line.memory_bytes == std::map<std::string, std::int64_t>{{"gpu:1", 1024}});
  CHECK(parse_printed("{\n \"seconds\": 0.5\n}\n", alike()).seconds == 0.5);
}

TEST_CASE("What ran out of memory needs no seconds") {
  CHECK_FALSE(parse_printed("{\"out_of_memory\": true}", alike()).seconds);
  CHECK(parse_printed("{\"out_of_memory\": false, \"seconds\": 1}", alike()).seconds == 1);
}

TEST_CASE("What is no result says what was expected") {
  CHECK(error_of("") == "its last line: expected seconds above 0 or a JSON object, found nothing");
  CHECK(error_of("1.5\ndone\n") ==
        "its last line: expected seconds above 0 or a JSON object, found 'done'");
  CHECK(error_of("-1") == "its last line: expected seconds above 0 or a JSON object, found '-1'");
  CHECK(error_of("nan") == "its last line: expected seconds above 0 or a JSON object, found 'nan'");
  CHECK(error_of("{\"memory_bytes\": {}}") ==
        "its output: expected the key 'seconds', found only memory_bytes");
  CHECK_THAT(error_of("{\"seconds\": 1, \"memory_bytes\": {\"gpu:7\": 1}}"),
             Catch::EndsWith("expected the name of a device, found 'gpu:7'"));
  CHECK_THAT(error_of("{\"second\": 1}"), Catch::StartsWith("its output:"));
}

}  // namespace
}  // namespace placer
