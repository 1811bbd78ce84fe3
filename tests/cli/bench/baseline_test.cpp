#include "cli/bench/baseline.hpp"

#include <catch2/catch.hpp>
#include <string>

namespace placer {
namespace {

TEST_CASE("More overflow is a regression whatever the tolerance, less is an improvement") {
  const BaselineCase stored{"a", {10, 100}, 1, 5.0};
  CHECK(judge({11, 1}, stored) == Verdict::kRegression);
  CHECK(judge({9, 500}, stored) == Verdict::kImproved);
  CHECK(judge({10, 600}, stored) == Verdict::kTolerated);
  CHECK(judge({10, 601}, stored) == Verdict::kRegression);
  CHECK(judge({10, 100}, stored) == Verdict::kSame);
}

TEST_CASE("The shipped suite has a baseline for each of its cases") {
  const std::string folder = PLACER_SOURCE_DIR "/bench/";
  const auto cases = read_suite(folder + "suite_small.json");
  CHECK(match_baseline(cases, read_baseline(folder + "baseline_small.json"), "", "").size() ==
        cases.size());
}

}  // namespace
}  // namespace placer
