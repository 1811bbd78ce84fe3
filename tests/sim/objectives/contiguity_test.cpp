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

}  // namespace
}  // namespace placer
