#include "placer/base/quantity.hpp"

#include <catch2/catch.hpp>

namespace placer {
namespace {

TEST_CASE("Suffixes of thousands and powers of ten stand for plain numbers", "[base]") {
  CHECK(parse_quantity("12", Measure::kPlain) == 12.0);
  CHECK(parse_quantity("1e6", Measure::kPlain) == 1e6);
  CHECK(parse_quantity("10k", Measure::kPlain) == 10'000.0);
  CHECK(parse_quantity("2.5M", Measure::kPlain) == 2'500'000.0);
  CHECK(parse_quantity("1G", Measure::kPlain) == 1e9);
  CHECK(parse_quantity("1.005k", Measure::kPlain) == 1005.0);  // 1.005 * 1000 is a little less
  CHECK(parse_quantity("-3k", Measure::kPlain) == -3000.0);
}

TEST_CASE("Seconds may be given in other units of time", "[base]") {
  CHECK(parse_quantity("5s", Measure::kSeconds) == 5.0);
  CHECK(parse_quantity("500ms", Measure::kSeconds) == 0.5);
  CHECK(parse_quantity("20us", Measure::kSeconds) == 20e-6);
  CHECK(parse_quantity("2min", Measure::kSeconds) == 120.0);
  CHECK(parse_quantity("1.5 h", Measure::kSeconds) == 5400.0);
  CHECK(parse_quantity("1e3", Measure::kSeconds) == 1000.0);
}

TEST_CASE("Bytes may be given in powers of 1000 and, with an i, of 1024", "[base]") {
  CHECK(parse_quantity("100B", Measure::kBytes) == 100.0);
  CHECK(parse_quantity("12GB", Measure::kBytes) == 12e9);
  CHECK(parse_quantity("1.5 GiB", Measure::kBytes) == 1'610'612'736.0);
  CHECK(parse_quantity("64KiB", Measure::kBytes) == 65'536.0);
  CHECK(parse_quantity("2G", Measure::kBytes) == 2e9);
  CHECK_FALSE(parse_quantity("5s", Measure::kBytes).has_value());
}

TEST_CASE("A unit of something else, a suffix alone and rubbish are no numbers", "[base]") {
  for (const char* text :
       {"5GB", "5x", "5sec", "k", "s", "", "5 k s", "1e3k", "1e3s", "1,000", "--5s"}) {
    INFO(text);
    CHECK_FALSE(parse_quantity(text, Measure::kSeconds).has_value());
  }
  CHECK_FALSE(parse_quantity("5s", Measure::kPlain).has_value());
}

}  // namespace
}  // namespace placer
