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

TEST_CASE("Bytes are shown in units that are powers of 1024") {
  CHECK(bytes_text(1023) == "1023 B");
  CHECK(bytes_text(1024) == "1.000 KiB");
  CHECK(bytes_text(1'572'864) == "1.500 MiB");
  CHECK(bytes_text(12'884'901'888) == "12.00 GiB");
  CHECK(bytes_text(12e9) == "11.18 GiB");
}

TEST_CASE("How much faster something is comes as a factor, or in per cent where that is near 1") {
  CHECK(speed_text(2.4) == "is 2.40 times as fast");
  CHECK(speed_text(0.5) == "is 0.50 times as fast");
  CHECK(speed_text(1.25e0 / 1.2) == "takes 4 % less time");
  CHECK(speed_text(1.0004) == "takes 0.04 % less time");
  CHECK(speed_text(1 / 1.003) == "takes 0.3 % more time");
  CHECK(speed_text(1) == "is as fast");
  CHECK(times_text(1.43) == "1.43");
  CHECK(times_text(1.0004) == "1.0004");
  CHECK(times_text(1) == "1.00");
}

TEST_CASE("A command line is quoted where a shell would read something else") {
  const std::vector<std::string> words = {"simulate", "my g.json", "--pin", "it's*=cpu:0", ""};
  CHECK(shell_line(words) == "placer simulate 'my g.json' --pin 'it'\\''s*=cpu:0' ''");
}

TEST_CASE("What a wait roughly takes is shown in seconds, minutes or hours") {
  CHECK(rough_time_text(0.2) == "0 s");
  CHECK(rough_time_text(99) == "99 s");
  CHECK(rough_time_text(150) == "2 min");
  CHECK(rough_time_text(9000) == "2.5 h");
}

}  // namespace
}  // namespace placer
