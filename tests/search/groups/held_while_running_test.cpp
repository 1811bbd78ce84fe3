// What a group's device holds while one of its ops runs, whatever else is there.
#include "search/groups/held_while_running.hpp"

#include <catch2/catch.hpp>

#include "placer/sim/simulator.hpp"
#include "search/groups/memory_fit.hpp"
#include "support/problems.hpp"

namespace placer::testing {
namespace {

/// A layer between two others, forward and back; its own backward pass has two ops, the second of
/// which reads what the layer read in its forward pass.
Problem layer_between_others(std::int64_t memory_bytes) {
  std::vector<Op> ops = seconds_each({1, 1, 1, 1, 1, 1, 1});
  const char* layers[] = {"0", "1", "2", "2", "1", "1", "0"};
  for (std::size_t op = 0; op < ops.size(); ++op) ops[op].group = layers[op];
  ops[4].temp_bytes = 1000;
  ops[1].params_bytes = 7;
  return Problem(graph_of(ops, {tensor(0, {1, 5}, 1), tensor(1, {2, 4}, 2), tensor(2, {3}, 4),
                                tensor(3, {4}, 8), tensor(4, {5}, 16), tensor(5, {6}, 32)}),
                 alike({.memory_bytes = memory_bytes}));
}

TEST_CASE("what the forward pass of a layer has read is there until its backward pass reads it") {
  const std::vector<std::int64_t> held = held_while_running(layer_between_others(2000));
  CHECK(held[1] == 1 + 2);
  CHECK(held[4] == 1 + 2 + 8 + 16 + 1000);  // of which it takes and makes all but 1
  CHECK(held[5] == 1 + 16 + 32);
}

TEST_CASE("no device has room for a group that holds more while one of its ops runs") {
  CHECK(MemoryFit(layer_between_others(1034)).infeasible().empty());
  CHECK(
      MemoryFit(layer_between_others(1033)).infeasible() ==
      "the group of op 'op1' needs at least 1034 bytes at once, more than any device where it may "
      "go has");
}

TEST_CASE("every device holds at its peak what the ops of its groups hold while they run") {
  Rng rng(12);
  int higher = 0;
  for (int i = 0; i < 400; ++i) {
    const auto contention = static_cast<Contention>(i % kNames<Contention>.size());
    const Problem problem =
        i % 2 == 0 ? random_problem(rng) : random_training_step(rng, contention);
    const MemoryFit fit(problem);
    const Placement placement = testing::random_placement(problem, rng);
    for (const Order order : {Order::kFifo, Order::kPriority, Order::kProgram}) {
      Schedule schedule;
      Simulator(problem, order).evaluate(placement, nullptr, &schedule);
      for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
        const GroupMemory& memory = fit.memory(group, placement[group]);
        REQUIRE(schedule.peak_bytes[placement[group].index()] >= memory.at_least_bytes);
        const auto alone = group_memory_on(problem, placement[group])[group.index()];
        higher += memory.at_least_bytes > alone.at_least_bytes ? 1 : 0;
      }
    }
  }
  CHECK(higher > 100);
}

}  // namespace
}  // namespace placer::testing
