// What is in memory at an instant, wherever groups are and in whatever order ops run.
#include "search/groups/held_at_once.hpp"

#include <catch2/catch.hpp>

#include "placer/sim/simulator.hpp"
#include "support/problems.hpp"

namespace placer::testing {
namespace {

TEST_CASE("a tensor is held by the group that has it and will read it, once") {
  // op3 runs after op0, op1 and op2 and before op4, op5 and op6.
  std::vector<Op> ops = seconds_each({1, 1, 1, 5, 1, 1, 1});
  const char* groups[] = {"a", "b", "c", "x", "b", "c", "d"};
  for (std::size_t op = 0; op < ops.size(); ++op) ops[op].group = groups[op];
  ops[3].temp_bytes = 1000;
  ops[6].params_bytes = 7;
  Tensor kept = tensor(0, {}, 40);
  kept.keep = true;
  const std::vector<Tensor> tensors = {
      tensor(0, {1, 2}, 1),
      tensor(1, {3}, 2),
      tensor(2, {3}, 4),
      tensor(3, {4, 5}, 8),
      tensor(4, {6}, 16),
      tensor(5, {6}, 32),
      tensor(0, {1, 2, 4, 5}, 64),  // b and c have it, and read it again
      tensor(1, {4}, 128),          // b made it
      tensor(2, {6}, 256),          // d may have it, or still c
      kept};
  const auto held = fullest_instant(Problem(graph_of(ops, tensors), alike()));
  REQUIRE(held);
  CHECK(held->op == OpId(3));
  CHECK(held->open_bytes == 256);
  const std::vector<std::int64_t> on_c = {40, 128, 64, 1000 + 2 + 4 + 8, 7};
  CHECK(held->bytes == on_c);
  CHECK_FALSE(fullest_instant(Problem(graph_of(ops, tensors), alike()), 2000));
}

TEST_CASE("an op that takes no time on some device is no instant") {
  std::vector<Op> ops = {timed_op("a", 0), timed_op("b", 1)};
  ops[0].temp_bytes = 100;
  const auto held = fullest_instant(Problem(graph_of(ops, {tensor(0, {1}, 5)}), alike()));
  REQUIRE(held);
  CHECK(held->op == OpId(1));
}

/// The device that holds less at its peak than its groups are said to hold at once.
std::optional<DeviceId> too_empty(const Problem& problem, const HeldAtOnce& held,
                                  const Placement& placement, Order order) {
  std::vector<std::int64_t> bytes(problem.device_count(), 0);
  for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
    bytes[placement[group].index()] += held.bytes[group.index()];
  }
  Schedule schedule;
  Simulator(problem, order).evaluate(placement, nullptr, &schedule);
  for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
    if (schedule.peak_bytes[device.index()] < bytes[device.index()]) return device;
  }
  return std::nullopt;
}

TEST_CASE("every device holds at its peak what its groups hold at once, in every order") {
  Rng rng(11);
  for (int i = 0; i < 600; ++i) {
    const auto contention = static_cast<Contention>(i % kNames<Contention>.size());
    const Problem problem =
        i % 2 == 0 ? random_problem(rng) : random_training_step(rng, contention);
    const auto held = fullest_instant(problem);
    if (!held) continue;
    for (const Order order : kAllOrders) {
      if (order == Order::kGiven) continue;
      CHECK_FALSE(too_empty(problem, *held, testing::random_placement(problem, rng), order));
    }
  }
}

}  // namespace
}  // namespace placer::testing
