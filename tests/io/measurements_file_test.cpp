#include "placer/io/measurements_file.hpp"

#include <catch2/catch.hpp>

#include "placer/base/errors.hpp"

namespace placer {
namespace {

const std::string kOf = "00000000000000ff", kOne = "0123456789abcdef", kTwo = "fedcba9876543210";

TEST_CASE("Measurements read back as they were written") {
  Measurements measurements;
  measurements[{kOf, kOne}] = {{0.1, 0.125}, {{"gpu:0", 1024}}, ""};
  measurements[{kOf, kTwo}] = {{}, {}, "exit code 3"};
  const std::string text = write_measurements(measurements);
  CHECK(parse_measurements(text, "m.json") == measurements);
  CHECK_THAT(text, Catch::Contains("\"seconds\": [0.1, 0.125]"));
}

std::string error_of(const std::string& placements) {
  try {
    parse_measurements(
        R"({"format": "placer-measurements", "version": 1, "placements": [)" + placements + "]}",
        "m.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST_CASE("Faulty measurements name their place") {
  CHECK(error_of(R"({"of": "ff", "placement": "0123456789abcdef", "seconds": []})") ==
        "m.json: placements[0].of: expected 16 hexadecimal digits, found 'ff'");
  CHECK_THAT(error_of(R"({"of": "00000000000000ff", "placement": "0123456789abcdef",
                         "seconds": [-1]})"),
             Catch::StartsWith("m.json: placements[0].seconds[0]: expected"));
  const std::string row =
      R"({"of": "00000000000000ff", "placement": "0123456789abcdef", "seconds": []})";
  CHECK(error_of(row + "," + row) ==
        "m.json: placements[1]: expected each placement once, found it again");
}

}  // namespace
}  // namespace placer
