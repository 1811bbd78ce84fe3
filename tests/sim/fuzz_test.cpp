#include <algorithm>
#include <array>
#include <catch2/catch.hpp>

#include "support/agreement.hpp"
#include "support/problems.hpp"
#include "support/referee.hpp"
#include "support/sanitizers.hpp"

namespace placer::testing {
namespace {

/// Two placements with one simulator, so that what an evaluation leaves behind shows in the next.
void check_agreement(const Problem& problem, Order order, Rng& rng) {
  Simulator simulator(problem, order);
  for (int repeat = 0; repeat < 2; ++repeat) {
    const Placement placement = random_placement(problem, rng);
    agreed_schedule(simulator, placement);
    if (order != Order::kGiven) continue;
    const Sequences sequences = random_sequences(problem, placement, rng);
    const Schedule schedule = agreed_schedule(simulator, placement, &sequences);
    CHECK((schedule.score == Score::deadlock()) == !deadlock_of(problem, sequences).empty());
    const Sequences by_rank = upward_rank_sequences(problem, placement);
    CHECK(agreed_schedule(simulator, placement, &by_rank).score != Score::deadlock());
    CHECK(deadlock_of(problem, by_rank).empty());
  }
}

TEST_CASE("The simulator equals the referee to the last bit on random problems", "[sim][fuzz]") {
  const std::size_t count = kSanitized ? 1500 : 10'000;
  const Rng seed(20);
  for (std::size_t i = 0; i < count; ++i) {
    Rng rng = seed.stream("fuzz", i);
    const Problem problem = random_problem(rng);
    for (const Order order : kAllOrders) {
      if (i % 4 > 0 && (order == Order::kPct || order == Order::kMsr)) continue;  // to save time
      INFO("problem " << i << ", order " << order_name(order));
      check_agreement(problem, order, rng);
    }
  }
}

TEST_CASE("Under 'given', null sequences mean those of upward_rank_sequences", "[sim][fuzz]") {
  const Rng seed(21);
  for (std::size_t i = 0; i < 200; ++i) {
    Rng rng = seed.stream("null sequences", i);
    const Problem problem = random_problem(rng);
    const Placement placement = random_placement(problem, rng);
    const Sequences by_rank = upward_rank_sequences(problem, placement);
    CHECK((referee_schedule(problem, Order::kGiven, placement) ==
           referee_schedule(problem, Order::kGiven, placement, &by_rank)));
  }
}

TEST_CASE("The random problems contain what they are meant to try", "[sim][fuzz]") {
  std::size_t deadlocks = 0, overflows = 0, waits = 0, at_once = 0, kept = 0;
  const Rng seed(20);
  for (std::size_t i = 0; i < 300; ++i) {
    Rng rng = seed.stream("fuzz", i);
    const Problem problem = random_problem(rng);
    const Placement placement = random_placement(problem, rng);
    const Sequences sequences = random_sequences(problem, placement, rng);
    const auto given = referee_schedule(problem, Order::kGiven, placement, &sequences);
    deadlocks += given.score == Score::deadlock();
    const auto schedule = referee_schedule(problem, Order::kFifo, placement);
    overflows += !schedule.score.fits();
    waits += std::ranges::any_of(
        schedule.transfers, [](const TransferRun& run) { return run.begin_ps > run.requested_ps; });
    at_once += std::ranges::any_of(schedule.transfers, [](const TransferRun& run) {
      return run.begin_ps == run.end_ps && run.begin_ps > run.requested_ps;
    });
    kept += std::ranges::any_of(problem.graph().tensors(), &Tensor::keep);
  }
  CHECK(deadlocks > 5);
  CHECK(overflows > 30);
  CHECK(waits > 50);
  CHECK(at_once > 2);
  CHECK(kept > 50);
}

}  // namespace
}  // namespace placer::testing
