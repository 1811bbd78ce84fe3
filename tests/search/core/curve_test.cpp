#include "search/core/curve.hpp"

#include <catch2/catch.hpp>

#include "support/problems.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

constexpr Picoseconds kSecond = 1'000'000'000'000;

/// A curve of evaluations that take 1, 2, ... `count` seconds.
Curve rising(int count) {
  Curve curve;
  for (int i = 1; i <= count; ++i) {
    if (curve.add({0, i * kSecond})) curve.end_window({i, 0.5 * i}, {0, kSecond});
  }
  return curve;
}

TEST_CASE("a curve has a point for each evaluation while there are few") {
  const auto points = rising(3).points({3, 1.5}, {0, kSecond});
  REQUIRE(points.size() == 3);
  CHECK(points[1].evaluations == 2);
  CHECK(points[1].wall_seconds == 1.0);
  CHECK(points[1].mean_seconds == 2.0);
  CHECK(points[1].best_step_ps == kSecond);
}

TEST_CASE("the 256th point halves a curve: windows of two, then the open one") {
  CHECK(rising(255).points({255, 0}, {0, kSecond}).size() == 255);
  const auto points = rising(257).points({257, 9}, {0, kSecond});
  REQUIRE(points.size() == 129);
  CHECK(points[0].evaluations == 2);
  CHECK(points[0].mean_seconds == 1.5);
  CHECK(points[127].evaluations == 256);
  CHECK(points[127].mean_seconds == 255.5);
  CHECK(points[128].evaluations == 257);
  CHECK(points[128].mean_seconds == 257.0);
}

TEST_CASE("deadlocks and misfits: no mean where all are deadlocks, no best while nothing fits") {
  Curve curve;
  REQUIRE(curve.add(Score::deadlock()));
  curve.end_window({1, 0.0}, Score::deadlock());
  REQUIRE(curve.add({5, kSecond}));
  curve.end_window({2, 0.0}, {5, kSecond});
  const auto points = curve.points({2, 0.0}, {5, kSecond});
  CHECK_FALSE(points[0].mean_seconds);
  CHECK(points[1].mean_seconds == 1.0);
  CHECK_FALSE(points[1].best_step_ps);
}

TEST_CASE("a curve read back goes on as if never stopped, but for the wall times before") {
  for (const int count : {0, 1, 2, 255, 256, 300, 511, 513}) {
    Policy policy;
    rising(count).save("c/", policy);
    Curve read;
    read.load("c/", policy);
    Curve whole = rising(count);
    const Score best{0, kSecond};
    for (int i = count + 1; i < count + 300; ++i) {
      for (Curve* each : {&read, &whole}) {
        if (each->add({0, i * kSecond})) each->end_window({i, 1.0}, best);
      }
    }
    const auto a = read.points({count + 299, 1.0}, best),
               b = whole.points({count + 299, 1.0}, best);
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      REQUIRE(a[i].evaluations == b[i].evaluations);
      REQUIRE(a[i].mean_seconds == b[i].mean_seconds);
      REQUIRE(a[i].best_step_ps == b[i].best_step_ps);
    }
    if (count > 1) CHECK_FALSE(a[0].wall_seconds);
  }
}

TEST_CASE("a search's curve counts every evaluation and ends with its best") {
  SearchRequest request = request_for("post", 1000);
  request.grouping = {Grouping::Kind::kCount, 3};
  const SearchResult result = run_search(Problem(chain(12), alike()), request);
  REQUIRE_FALSE(result.curve.empty());
  CHECK(result.curve.back().evaluations == result.evaluations);
  CHECK(result.curve.back().best_step_ps == result.score.step_ps);
  CHECK(result.samples <= 500);  // the other half refines
  CHECK(result.samples > 0);
}

}  // namespace
}  // namespace placer::testing
