#include "io/machines/process_output.hpp"

#include <catch2/catch.hpp>
#include <chrono>

namespace placer {
namespace {

using End = ProcessOutput::End;

TEST_CASE("What a program prints is read to its end") {
  const ProcessOutput output = output_of({"printf", "%s,%s", "a b", "c"}, 10);
  CHECK(output.end == End::kDone);
  CHECK(output.text == "a b,c");
}

TEST_CASE("A program that is not there, one that fails and one that a signal ends are told apart") {
  CHECK(output_of({"no-such-program-of-anyone"}, 10).end == End::kMissing);
  const ProcessOutput failed = output_of({"sh", "-c", "echo half; exit 9"}, 10);
  CHECK(failed.end == End::kFailed);
  CHECK(failed.text == "half\n");
  CHECK(output_of({"sh", "-c", "kill -9 $$"}, 10).end == End::kFailed);
}

TEST_CASE("A program that hangs is killed with its children when its time is up") {
  const auto begin = std::chrono::steady_clock::now();
  CHECK(output_of({"sh", "-c", "echo begun; sleep 60 & wait"}, 0.05).end == End::kTimedOut);
  CHECK(output_of({"sh", "-c", "exec >&-; sleep 60"}, 0.05).end == End::kTimedOut);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(30));
}

}  // namespace
}  // namespace placer
