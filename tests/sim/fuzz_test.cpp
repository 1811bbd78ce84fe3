#include "support/fuzz.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>

#include "support/agreement.hpp"
#include "support/problems.hpp"
#include "support/referee.hpp"
#include "support/sanitizers.hpp"

namespace placer::testing {
namespace {

TEST_CASE("Every way to evaluate random problems equals the referee to the last bit",
          "[sim][fuzz]") {
  const std::size_t count = kSanitized ? 60 : 4000;  // placer_fuzz tries more
  FuzzFigures figures;
  for (std::size_t i = 0; i < count; ++i) REQUIRE(fuzz_problem(20, i, figures) == "");
  std::array<FuzzCounts, kAllOrders.size()> sums;
  for (const auto& [mode, counts] : figures) {
    sums[static_cast<std::size_t>(mode.order)] += counts;
    INFO(name_of(mode.order));
    CHECK(counts.evaluations > static_cast<std::int64_t>(count) / 100);
  }
  for (const Order order : kAllOrders) {
    if (order == Order::kMsr) continue;  // has none
    const FuzzCounts& sum = sums[static_cast<std::size_t>(order)];
    INFO(name_of(order));
    CHECK(sum.fast * 6 > sum.evaluations);
    CHECK(sum.overflowing * 10 > sum.evaluations);
  }
  CHECK(sums[static_cast<std::size_t>(Order::kFifo)].moves > 0);
  CHECK(sums[static_cast<std::size_t>(Order::kGiven)].deadlocks > 0);
}

TEST_CASE("The sequences of ranks never deadlock, and deadlock_of says which random ones do",
          "[sim][fuzz]") {
  const Rng seed(20);
  for (std::size_t i = 0; i < 500; ++i) {
    Rng rng = seed.stream("sequences", i);
    const Problem problem = random_problem(rng);
    const Placement placement = random_placement(problem, rng);
    const Sequences sequences = random_sequences(problem, placement, rng);
    const Schedule schedule = agreed_schedule(problem, Order::kGiven, placement, &sequences);
    CHECK((schedule.score == Score::deadlock()) == !deadlock_of(problem, sequences).empty());
    const Sequences by_rank = upward_rank_sequences(problem, placement);
    CHECK(agreed_schedule(problem, Order::kGiven, placement, &by_rank).score != Score::deadlock());
    CHECK(deadlock_of(problem, by_rank).empty());
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
