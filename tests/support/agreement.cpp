#include "support/agreement.hpp"

#include <catch2/catch.hpp>

#include "support/referee.hpp"

namespace placer::testing {

Schedule agreed_schedule(Simulator& simulator, const Placement& placement,
                         const Sequences* sequences) {
  const Schedule expected =
      referee_schedule(simulator.problem(), simulator.order(), placement, sequences);
  const Score score = simulator.evaluate(placement, sequences);
  REQUIRE(score.overflow_bytes == expected.score.overflow_bytes);
  REQUIRE(score.step_ps == expected.score.step_ps);
  Schedule schedule;
  REQUIRE((simulator.evaluate(placement, sequences, &schedule) == expected.score));
  if (expected.score == Score::deadlock()) return expected;
  REQUIRE((schedule.ops == expected.ops));
  REQUIRE((schedule.transfers == expected.transfers));
  REQUIRE(schedule.busy_ps == expected.busy_ps);
  REQUIRE(schedule.peak_bytes == expected.peak_bytes);
  REQUIRE((schedule == expected));
  return schedule;
}

Schedule agreed_schedule(const Problem& problem, Order order, const Placement& placement,
                         const Sequences* sequences) {
  Simulator simulator(problem, order);
  return agreed_schedule(simulator, placement, sequences);
}

}  // namespace placer::testing
