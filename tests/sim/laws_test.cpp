#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <numeric>

#include "placer/sim/simulator.hpp"
#include "support/exhaustive.hpp"
#include "support/problems.hpp"

namespace placer::testing {
namespace {

constexpr std::size_t kProblems = 250;

TEST_CASE("On one device of one slot a step takes the sum of its ops", "[sim][laws]") {
  const Rng seed(1);
  for (std::size_t i = 0; i < kProblems; ++i) {
    Rng rng = seed.stream("one device", i);
    const Problem problem = random_problem(rng, {.most_devices = 1});
    if (problem.topology().devices()[0].slots > 1) continue;
    Picoseconds sum = 0;
    for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
      sum += problem.group_ps(group, DeviceId(0));
    }
    for (const Order order : kAllOrders) {
      Simulator simulator(problem, order);
      CHECK(simulator.evaluate(*problem.all_on(DeviceId(0))).step_ps == sum);
    }
  }
}

TEST_CASE("Doubling all times and sizes doubles step time and overflow", "[sim][laws]") {
  const Rng seed(2);
  for (std::size_t i = 0; i < kProblems; ++i) {
    Rng rng = seed.stream("doubled", i);
    const Problem problem = random_problem(rng, {.real_times = false});
    const Problem twice = doubled(problem);
    const Placement placement = random_placement(problem, rng);
    for (const Order order : kAllOrders) {
      const Score once = Simulator(problem, order).evaluate(placement);
      const Score score = Simulator(twice, order).evaluate(placement);
      CHECK(score.step_ps == 2 * once.step_ps);
      CHECK(score.overflow_bytes == 2 * once.overflow_bytes);
    }
  }
}

TEST_CASE("Renaming identical devices changes no score under 'link' and 'none'", "[sim][laws]") {
  const Rng seed(3);
  for (std::size_t i = 0; i < kProblems; ++i) {
    Rng rng = seed.stream("renamed", i);
    const Problem problem =
        random_problem(rng, {.contention = i % 2 == 0 ? Contention::kLink : Contention::kNone,
                             .alike_devices = true,
                             .limits = false});
    std::vector<DeviceId> names;
    for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
      REQUIRE(problem.first_identical(device) == DeviceId(0));
      names.push_back(device);
    }
    rng.shuffle(std::span(names));
    const Placement placement = random_placement(problem, rng);
    Placement renamed = placement;
    for (DeviceId& device : renamed.devices) device = names[device.index()];
    for (const Order order : kAllOrders) {
      Simulator simulator(problem, order);
      CHECK((simulator.evaluate(renamed) == simulator.evaluate(placement)));
    }
  }
}

TEST_CASE("No step is shorter than the largest upward rank", "[sim][laws]") {
  const Rng seed(4);
  for (std::size_t i = 0; i < kProblems; ++i) {
    Rng rng = seed.stream("ranks", i);
    const Problem problem = random_problem(rng);
    const Placement placement = random_placement(problem, rng);
    const Picoseconds largest = std::ranges::max(upward_ranks(problem, placement));
    for (const Order order : kAllOrders) {
      CHECK(Simulator(problem, order).evaluate(placement).step_ps >= largest);
    }
  }
}

TEST_CASE("A moved simulator goes on as before", "[sim]") {
  const Problem problem(diamond(), alike());
  Simulator first(problem, Order::kPriority);
  const Score score = first.evaluate(on_devices({0, 1, 0, 0}));
  Simulator second = std::move(first);
  CHECK((second.evaluate(on_devices({0, 1, 0, 0})) == score));
  CHECK(second.order() == Order::kPriority);
  CHECK(second.problem().op_count() == 4);
}

// a(1) -> b(2), c(3) -> d(1), 1 s for each cut: d 1, b 2 + 1 + 1, c 3 + 1, a 1 + 1 + 4.
TEST_CASE("Upward ranks of a diamond with b alone on device 1 are 6, 4, 4, 1", "[sim]") {
  const auto ranks = upward_ranks(Problem(diamond(), alike()), on_devices({0, 1, 0, 0}));
  CHECK(ranks == std::vector<Picoseconds>{6'000'000'000'000, 4'000'000'000'000, 4'000'000'000'000,
                                          1'000'000'000'000});
}

TEST_CASE("Upward ranks ignore contention, and latency counts once", "[sim]") {
  // op0 -> op1, op2 on another device: each transfer takes 1 + 0.5 s.
  const Problem problem(fork_join(2),
                        alike({.contention = Contention::kHalfDuplex, .latency_seconds = 0.5}));
  const auto ranks = upward_ranks(problem, on_devices({0, 1, 1, 1}));
  CHECK(to_seconds(ranks[1]) == 2);
  CHECK(to_seconds(ranks[0]) == 4.5);
}

TEST_CASE("Equal upward ranks follow the program order", "[sim]") {
  // Three zero-second ops in a chain against their ids: 2 -> 1 -> 0.
  const Problem problem(graph_of({timed_op("c", 0), timed_op("b", 0), timed_op("a", 0)},
                                 {tensor(2, {1}, 0), tensor(1, {0}, 0)}),
                        alike());
  const Sequences sequences = upward_rank_sequences(problem, on_devices({0, 0, 0}));
  CHECK((sequences == Sequences{{OpId(2), OpId(1), OpId(0)}, {}}));
}

TEST_CASE("A device told to run a consumer before its producer deadlocks", "[sim]") {
  const Problem problem(chain(2), alike());
  const Sequences sequences = {{OpId(1), OpId(0)}, {}};
  const std::string message = deadlock_of(problem, sequences);
  CHECK_THAT(message, Catch::Contains("'op0'") && Catch::Contains("waits for"));
  CHECK_THAT(message, Catch::Contains("'op1'"));
  Simulator simulator(problem, Order::kGiven);
  CHECK((simulator.evaluate(on_devices({0, 0}), &sequences) == Score::deadlock()));
  CHECK((simulator.evaluate(on_devices({0, 0})) == Score{0, 2'000'000'000'000}));
}

//  device 0: d, a    device 1: b, c     a -> b, c -> d: each device waits for the other
TEST_CASE("Two devices that wait for each other's later ops deadlock", "[sim]") {
  const Problem problem(
      graph_of({timed_op("a", 1), timed_op("b", 1), timed_op("c", 1), timed_op("d", 1)},
               {tensor(0, {1}, 1), tensor(2, {3}, 1)}),
      alike());
  const Sequences crossed = {{OpId(3), OpId(0)}, {OpId(1), OpId(2)}};
  CHECK_FALSE(deadlock_of(problem, crossed).empty());
  CHECK((Simulator(problem, Order::kGiven).evaluate(on_devices({0, 1, 1, 0}), &crossed) ==
         Score::deadlock()));
  const Sequences straight = {{OpId(0), OpId(3)}, {OpId(2), OpId(1)}};
  CHECK(deadlock_of(problem, straight).empty());
}

TEST_CASE("The best placement of a diamond on two devices takes 6 s", "[sim]") {
  const Problem problem(diamond(), alike());
  const Best best = exhaustive_best(problem);
  CHECK(to_seconds(best.score.step_ps) == 6);  // 7 on one device
  CHECK((best.placement == on_devices({0, 0, 1, 1})));
}

TEST_CASE("An order of ops decides under 'given', with a schedule and without, and nowhere else",
          "[sim]") {
  // On gpu:0 a, 1 s, and b, 2 s, whose byte travels for 1 s to c, 3 s, on gpu:1.
  const Problem problem(graph_of(seconds_each({1, 2, 3}), {tensor(1, {2}, 1)}), alike());
  const Placement placement = on_devices({0, 0, 1});
  const OpOrder b_first = {OpId(1), OpId(0), OpId(2)};
  Simulator given(problem, Order::kGiven), fifo(problem, Order::kFifo);
  Schedule schedule;
  CHECK(to_seconds(given.evaluate(placement, b_first).step_ps) == 6);
  CHECK(to_seconds(given.evaluate(placement, b_first, &schedule).step_ps) == 6);
  CHECK(schedule.ops[1].start_ps == 0);
  CHECK(to_seconds(given.evaluate(placement, OpOrder()).step_ps) == 6);  // b has the larger rank
  CHECK(to_seconds(fifo.evaluate(placement, b_first).step_ps) == 7);
}

}  // namespace
}  // namespace placer::testing
