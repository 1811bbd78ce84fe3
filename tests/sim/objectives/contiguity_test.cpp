#include "sim/objectives/contiguity.hpp"

#include <catch2/catch.hpp>

#include "placer/sim/simulator.hpp"
#include "support/problems.hpp"

namespace placer {
namespace {

using testing::on_devices;

std::int64_t astray(const Graph& graph, const Goal& goal, const std::vector<std::size_t>& devices,
                    std::size_t device_count = 3) {
  const Problem problem = Problem(graph, testing::alike({.devices = device_count})).with_goal(goal);
  return ContiguityCheck(problem).astray_ops(on_devices(devices));
}

const Goal kContiguous{.contiguity = Contiguity::kContiguous};
const Goal kStages{.contiguity = Contiguity::kStages};

TEST_CASE("Ops that a path reaches on a device that it had left are astray") {
  const Graph chain = testing::chain(4);
  CHECK(astray(chain, kContiguous, {0, 0, 1, 2}) == 0);
  CHECK(astray(chain, kContiguous, {0, 1, 0, 0}) == 2);
  CHECK(astray(chain, kContiguous, {0, 1, 0, 1}) == 2);
  CHECK(astray(chain, {}, {0, 1, 0, 1}) == 0);
}

TEST_CASE("A device is left through others beyond the 64th as well") {
  std::vector<std::size_t> devices = {69, 3, 69};
  CHECK(astray(testing::chain(3), kContiguous, devices, 70) == 1);
}

TEST_CASE("Two devices that feed each other along different paths are contiguous but no stages") {
  // a -> b and c -> d.
  const Graph pairs = testing::graph_of(testing::seconds_each({1, 1, 1, 1}),
                                        {testing::tensor(0, {1}, 1), testing::tensor(2, {3}, 1)});
  CHECK(astray(pairs, kContiguous, {0, 1, 1, 0}) == 0);
  CHECK(astray(pairs, kStages, {0, 1, 1, 0}) == 2);
  CHECK(astray(pairs, kStages, {0, 1, 0, 1}) == 0);
}

TEST_CASE("In a given order of stages only reading from a later device is astray") {
  const Goal reversed{.contiguity = Contiguity::kStages,
                      .stages = {DeviceId(2), DeviceId(1), DeviceId(0)}};
  CHECK(astray(testing::chain(3), reversed, {2, 1, 0}) == 0);
  CHECK(astray(testing::chain(3), reversed, {2, 0, 0}) == 0);
  CHECK(astray(testing::chain(3), reversed, {0, 1, 2}) == 2);
}

TEST_CASE("The way back may return to the device it came from") {
  std::vector<Op> ops = testing::seconds_each({1, 1, 1});
  ops[2].backward = true;
  const Graph graph =
      testing::graph_of(ops, {testing::tensor(0, {1}, 1), testing::tensor(1, {2}, 1)});
  CHECK(astray(graph, kContiguous, {0, 1, 0}) == 0);
  CHECK(astray(graph, kStages, {0, 1, 0}) == 0);
}

TEST_CASE("A placement astray is worse than any contiguous one that fits, and does not fit") {
  const Problem problem = Problem(testing::chain(3), testing::alike()).with_goal(kContiguous);
  Simulator simulator(problem, Order::kFifo);
  const Score back = simulator.evaluate(on_devices({0, 1, 0}));
  CHECK(back.astray_ops == 1);
  CHECK_FALSE(back.fits());
  CHECK(simulator.evaluate(on_devices({0, 1, 1})) < back);
  CHECK(back < Score{1, 0, 0});
}

TEST_CASE("The schedule of a placement astray has its score and is else that of its step") {
  const Problem step(testing::chain(3), testing::alike());
  const Problem problem = step.with_goal(kContiguous);
  const Placement back = on_devices({0, 1, 0});
  Schedule plain, schedule;
  const Score step_score = Simulator(step, Order::kFifo).evaluate(back, nullptr, &plain);
  const Score score = Simulator(problem, Order::kFifo).evaluate(back, nullptr, &schedule);
  CHECK(score == Score{0, step_score.step_ps, 1});
  CHECK(schedule.score == score);
  plain.score = score;
  CHECK(schedule == plain);
}

TEST_CASE("Sequences that deadlock score a deadlock, be their ops astray or not") {
  const Problem problem = Problem(testing::chain(3), testing::alike()).with_goal(kContiguous);
  // On gpu:0 op2 comes before op0, for which it waits.
  const Sequences sequences = {{OpId(2), OpId(0)}, {OpId(1)}};
  CHECK(Simulator(problem, Order::kGiven).evaluate(on_devices({0, 1, 0}), &sequences) ==
        Score::deadlock());
}

TEST_CASE("An order of all ops gives a placement astray the score of the sequences in it") {
  const Problem problem = Problem(testing::chain(3), testing::alike()).with_goal(kContiguous);
  const Placement back = on_devices({0, 1, 0});
  const OpOrder order = {OpId(0), OpId(1), OpId(2)};
  Simulator simulator(problem, Order::kGiven);
  const Score score = simulator.evaluate(back, order);
  CHECK(score.astray_ops == 1);
  Schedule schedule;
  CHECK(simulator.evaluate(back, order, &schedule) == score);
  CHECK(schedule.score == score);
}

}  // namespace
}  // namespace placer
