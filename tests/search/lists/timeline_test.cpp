#include "search/lists/timeline.hpp"

#include <catch2/catch.hpp>

#include "placer/base/rng.hpp"

namespace placer::testing {
namespace {

TEST_CASE("an op that fits goes into an idle stretch, one that does not to the end") {
  Timeline timeline;
  timeline.occupy(0, 2);
  timeline.occupy(5, 3);
  CHECK(timeline.first_fit(0, 3) == 2);
  CHECK(timeline.first_fit(0, 4) == 8);
  CHECK(timeline.first_fit(3, 2) == 3);
  CHECK(timeline.first_fit(3, 3) == 8);
  CHECK(timeline.first_fit(9, 1) == 9);
  CHECK(timeline.end_ps() == 8);
}

TEST_CASE("a filled idle stretch leaves one busy stretch") {
  Timeline timeline;
  timeline.occupy(0, 2);
  timeline.occupy(5, 3);
  timeline.occupy(2, 3);
  CHECK(timeline.first_fit(0, 1) == 8);
}

TEST_CASE("an op of no time starts at the edge of a busy stretch but not inside it") {
  Timeline timeline;
  timeline.occupy(2, 3);
  CHECK(timeline.first_fit(2, 0) == 2);
  CHECK(timeline.first_fit(3, 0) == 5);
}

TEST_CASE("nothing runs across the instant of an op of no time, but up to it and from it on") {
  Timeline timeline;
  timeline.occupy(4, 0);
  CHECK(timeline.first_fit(0, 4) == 0);
  CHECK(timeline.first_fit(0, 5) == 4);
  CHECK(timeline.first_fit(1, 4) == 4);
  timeline.occupy(2, 2);
  timeline.occupy(4, 1);
  CHECK(timeline.first_fit(0, 3) == 5);
}

TEST_CASE("what occupied a timeline last can be taken back, whatever it touched") {
  Rng rng(3);
  Timeline timeline;
  for (int round = 0; round < 200; ++round) {
    const auto duration = static_cast<Picoseconds>(rng.below(4));
    const Picoseconds start =
        timeline.first_fit(static_cast<Picoseconds>(rng.below(300)), duration);
    const Picoseconds end = timeline.end_ps();
    const Timeline::Change change = timeline.occupy(start, duration);
    timeline.take_back(change);
    REQUIRE(timeline.end_ps() == end);
    REQUIRE(timeline.first_fit(start, duration) == start);
    timeline.occupy(start, duration);
  }
}

TEST_CASE("what is due ends in the last idle stretch that is long enough or before all") {
  Timeline timeline;
  timeline.occupy(3, 2);
  timeline.occupy(7, 3);
  CHECK(timeline.last_fit(9, 2) == 7);
  CHECK(timeline.last_fit(9, 3) == 3);
  CHECK(timeline.last_fit(12, 2) == 12);
  CHECK(timeline.last_fit(12, 3) == 3);
}

TEST_CASE("reserved stretches may overlap, and between two that touch no time is left") {
  Timeline timeline;
  timeline.reserve({2, 6});
  timeline.reserve({1, 4});
  timeline.reserve({6, 8});
  CHECK(timeline.first_fit(0, 1) == 0);
  CHECK(timeline.first_fit(0, 2) == 8);
  CHECK(timeline.first_fit(6, 0) == 6);
  CHECK(timeline.last_fit(7, 1) == 1);
  CHECK(timeline.last_fit(6, 0) == 6);
}

}  // namespace
}  // namespace placer::testing
