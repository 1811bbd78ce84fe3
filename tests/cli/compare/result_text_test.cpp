#include "cli/compare/result_text.hpp"

#include <catch2/catch.hpp>
#include <limits>

#include "support/problems.hpp"

namespace placer {
namespace {

TEST_CASE("What a comparison says of a search reads back to the last bit") {
  const Problem problem(testing::chain(2), testing::alike());
  SearchResult result;
  result.placement = testing::on_devices({1, 0});
  result.score = {1, 2, 3};
  result.evaluations = 40;
  result.samples = 30;
  result.groups = 7;
  result.stopped = Stop::kConverged;
  result.wall_seconds = 0.1;
  result.seconds_to_best = 1.0 / 3;
  result.recent_mean_seconds = std::numeric_limits<double>::infinity();
  result.best_sample = Score{0, 9, 0};
  result.collapse = Collapse{DeviceId(1), 12};
  result.history = {{3, 0.25, {0, 11, 0}}};
  result.curve = {{8, 0.5, std::nullopt, 11}};
  const SearchResult read = compared_result(compared_text(result), problem);
  CHECK(read.placement == result.placement);
  CHECK(read.score == result.score);
  CHECK(read.evaluations == 40);
  CHECK(read.samples == 30);
  CHECK(read.groups == 7);
  CHECK(read.stopped == Stop::kConverged);
  CHECK(read.wall_seconds == 0.1);
  CHECK(read.seconds_to_best == 1.0 / 3);
  CHECK(read.recent_mean_seconds == std::numeric_limits<double>::infinity());
  CHECK(read.best_sample == result.best_sample);
  CHECK(read.collapse == result.collapse);
  CHECK_FALSE(read.schedule_ps);
  REQUIRE(read.history.size() == 1);
  CHECK(read.history[0].evaluations == 3);
  CHECK(read.history[0].wall_seconds == 0.25);
  CHECK(read.history[0].score == Score{0, 11, 0});
  REQUIRE(read.curve.size() == 1);
  CHECK(read.curve[0].evaluations == 8);
  CHECK(read.curve[0].wall_seconds == 0.5);
  CHECK_FALSE(read.curve[0].mean_seconds);
  CHECK(read.curve[0].best_step_ps == 11);
  CHECK_THROWS(compared_result("{}", problem));
}

}  // namespace
}  // namespace placer
