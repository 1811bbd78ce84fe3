#include <catch2/catch.hpp>

#include "placer/base/errors.hpp"
#include "support/agreement.hpp"
#include "support/problems.hpp"

namespace placer::testing {
namespace {

/// Times, sizes and capacities as large as a problem may have them: a step of weeks.
Problem doubled_to_the_limit(Problem problem) {
  while (true) {
    try {
      problem = doubled(problem);
    } catch (const Error&) {
      return problem;
    }
  }
}

TEST_CASE("Steps of weeks, whose times do not fit the keys of fast paths, are the referee's",
          "[sim]") {
  const Rng seed(61);
  for (std::size_t kind = 0; kind < kNames<Contention>.size(); ++kind) {
    const auto contention = static_cast<Contention>(kind);
    for (std::size_t i = 0; i < 40; ++i) {
      Rng rng = seed.stream(name_of(contention), i);
      CAPTURE(name_of(contention), i);
      const Problem problem = doubled_to_the_limit(random_problem(
          rng, {.most_ops = 40, .contention = contention, .many_slots = i % 4 == 0}));
      for (const Order order : kAllOrders) {
        CAPTURE(name_of(order));
        const Placement placement = random_placement(problem, rng);
        agreed_schedule(problem, order, placement);
        if (order != Order::kGiven) continue;
        const Sequences sequences = upward_rank_sequences(problem, placement);
        const Schedule schedule = agreed_schedule(problem, order, placement, &sequences);
        CHECK(Simulator(problem, order).evaluate(placement, op_order_of(problem, sequences)) ==
              schedule.score);
      }
    }
  }
}

TEST_CASE("The ranks of 5,000 ops, more than are sorted eight bits at a time, are the event loop's",
          "[sim]") {
  const Problem problem(fork_join(5000), alike());
  Rng rng(62);
  const Placement placement = random_placement(problem, rng);
  Simulator simulator(problem, Order::kGiven);
  Schedule schedule;  // which the loop alone fills
  CHECK(simulator.evaluate(placement) == simulator.evaluate(placement, nullptr, &schedule));
}

}  // namespace
}  // namespace placer::testing
