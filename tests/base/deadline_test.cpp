#include "placer/base/deadline.hpp"

#include <catch2/catch.hpp>
#include <cmath>

namespace placer::testing {
namespace {

using Clock = Deadline::Clock;

TEST_CASE("a deadline that nobody set never passes") {
  CHECK_FALSE(Deadline().passed());
  CHECK(std::isinf(Deadline().seconds_left()));
}

TEST_CASE("a deadline of 10 s that began 11 s ago has passed 1 s ago, one of 100 s has not") {
  const Clock::time_point begin = Clock::now() - std::chrono::seconds(11);
  CHECK(Deadline(begin, 10).passed());
  CHECK(Deadline(begin, 10).seconds_left() <= -1);
  CHECK_FALSE(Deadline(begin, 100).passed());
}

TEST_CASE("an interrupt passes a deadline whatever time is left") {
  std::atomic<bool> interrupt = false;
  const Deadline deadline(Clock::now(), 1000, &interrupt);
  CHECK_FALSE(deadline.passed());
  interrupt = true;
  CHECK(deadline.passed());
}

TEST_CASE("a watch of a passed deadline lets 2,047 steps go and throws at the next") {
  Watch watch(Deadline(Clock::now() - std::chrono::seconds(2), 1));
  for (int step = 0; step < 2047; ++step) watch.check();
  CHECK_THROWS_AS(watch.check(), Stopped);
  watch.check(2000);
  CHECK_THROWS_AS(watch.check(48), Stopped);
}

TEST_CASE("a watch of a deadline to come never throws") {
  Watch watch(Deadline(Clock::now(), 1000));
  CHECK_NOTHROW(watch.check(1'000'000));
}

}  // namespace
}  // namespace placer::testing
