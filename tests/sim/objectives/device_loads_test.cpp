#include "sim/objectives/device_loads.hpp"

#include <catch2/catch.hpp>

#include "placer/sim/simulator.hpp"
#include "sim/objectives/goal_walk.hpp"
#include "support/problems.hpp"

namespace placer {
namespace {

using testing::Machine;
using testing::on_devices;
using testing::tensor;

constexpr Picoseconds kSecond = 1'000'000'000'000;

Topology machine(Transfers transfers, Contention contention = Contention::kPorts,
                 std::size_t host = 99) {
  const Topology alike = testing::alike({.devices = 3, .contention = contention});
  std::vector<Device> devices = alike.devices();
  if (host < devices.size()) devices[host].host = true;
  return Topology(devices, alike.links(), contention, transfers);
}

Problem pipeline(Graph graph, Topology topology) {
  return Problem(std::move(graph), std::move(topology))
      .with_goal({.objective = Objective::kThroughput});
}

/// a(2) -5-> b(3), c(4), one tensor; b -1-> d(1).
Graph one_tensor_for_two() {
  return testing::graph_of(testing::seconds_each({2, 3, 4, 1}),
                           {tensor(0, {1, 2}, 5), tensor(1, {3}, 1)});
}

std::vector<Picoseconds> loads(const Problem& problem, const std::vector<std::size_t>& devices) {
  DeviceLoads loads(problem);
  loads.place(on_devices(devices));
  std::vector<Picoseconds> seconds;
  for (std::size_t device = 0; device < problem.device_count(); ++device) {
    seconds.push_back(loads.load_ps(DeviceId(device)) / kSecond);
  }
  return seconds;
}

TEST_CASE("A tensor that two other devices need is sent once and received twice") {
  const Problem problem = pipeline(one_tensor_for_two(), machine(Transfers::kSerial));
  // a on 0; b on 1 with d; c on 2: 2 + 5 sent, 5 received + 3 + 1, 5 received + 4.
  CHECK(loads(problem, {0, 1, 2, 1}) == std::vector<Picoseconds>{7, 9, 9});
}

TEST_CASE("Two ops of a device that need the same tensor receive it once") {
  const Problem problem = pipeline(one_tensor_for_two(), machine(Transfers::kSerial));
  CHECK(loads(problem, {0, 1, 1, 1}) == std::vector<Picoseconds>{7, 13, 0});
}

TEST_CASE("Copies that overlap count where they take longer than the ops") {
  const Problem ports = pipeline(one_tensor_for_two(), machine(Transfers::kOverlap));
  CHECK(loads(ports, {0, 1, 2, 0}) == std::vector<Picoseconds>{5, 5, 5});
  // gpu:1 receives 5 and sends 1 over the same wire.
  const Problem wire =
      pipeline(one_tensor_for_two(), machine(Transfers::kOverlap, Contention::kHalfDuplex));
  CHECK(loads(wire, {0, 1, 2, 0}) == std::vector<Picoseconds>{6, 6, 5});
}

TEST_CASE("A host pays for no copies, what it sends to does") {
  const Problem problem =
      pipeline(one_tensor_for_two(), machine(Transfers::kSerial, Contention::kPorts, 0));
  CHECK(loads(problem, {0, 1, 2, 1}) == std::vector<Picoseconds>{2, 9, 9});
}

TEST_CASE("Slots share the ops of a device out, an odd picosecond rounded up") {
  const Graph graph = testing::graph_of(testing::seconds_each({1e-12, 2e-12}), {});
  const Problem problem = pipeline(graph, testing::alike({.devices = 1, .slots = 2}));
  DeviceLoads loads(problem);
  loads.place(on_devices({0, 0}));
  CHECK(loads.load_ps(DeviceId(0)) == 2);
}

TEST_CASE(
    "What a pipeline holds: parameters, what crosses or waits for the way back, one op's need") {
  std::vector<Op> ops = testing::seconds_each({1, 1, 1, 1});
  ops[0].params_bytes = 100;
  ops[1].temp_bytes = 7;
  ops[3].backward = true;
  // a -10-> b on another device; a -20-> c beside it; b -3-> d, which is of the way back.
  const Graph graph =
      testing::graph_of(ops, {tensor(0, {1}, 10), tensor(0, {2}, 20), tensor(1, {3}, 3)});
  const Problem problem = pipeline(graph, testing::alike({.memory_bytes = 120}));
  DeviceLoads loads(problem);
  loads.place(on_devices({0, 1, 0, 1}));
  // a's parameters and the tensor that leaves; while a runs, both of its outputs.
  CHECK(loads.bytes(DeviceId(0)) == 100 + 10 + 30);
  // a's output and b's, which waits for d; while b runs, 7.
  CHECK(loads.bytes(DeviceId(1)) == 10 + 3 + 7);
  CHECK(loads.score().overflow_bytes == 20);
  loads.move(std::array{Move{GroupId(0), DeviceId(1)}});
  // c alone, and a's output that comes for it.
  CHECK(loads.bytes(DeviceId(0)) == 20);
}

TEST_CASE("The schedule of a pipeline has its score and says what its devices hold") {
  std::vector<Op> ops = testing::seconds_each({3, 1});
  ops[0].params_bytes = 100;
  const Problem problem =
      pipeline(testing::graph_of(ops, {tensor(0, {1}, 10)}), testing::alike({.memory_bytes = 115}));
  Schedule schedule;
  const Score score =
      Simulator(problem, Order::kFifo).evaluate(on_devices({0, 1}), nullptr, &schedule);
  // The tensor takes 10 s. gpu:0 holds the parameters, it and one more that is being made.
  CHECK(score == Score{5, 10 * kSecond});
  CHECK(schedule.score == score);
  CHECK(schedule.peak_bytes == std::vector<std::int64_t>{120, 10});
  CHECK(schedule.ops[1].end_ps == 14 * kSecond);
}

/// `count` ops that need 1, 3, 5, ... temporary bytes; no tensors.
Problem with_needs(std::size_t count) {
  std::vector<Op> ops = testing::seconds_each(std::vector<double>(count, 1));
  for (std::size_t at = 0; at < count; ++at) {
    ops[at].temp_bytes = 2 * static_cast<std::int64_t>(at) + 1;
  }
  return pipeline(testing::graph_of(ops, {}), testing::alike({.memory_bytes = 10'000}));
}

TEST_CASE("Up to 4,096 different needs of ops are exact, more are rounded up") {
  // No need at all is one of them.
  const StaticMemory exact(with_needs(4'095));
  CHECK(exact.need_bytes(OpId(0)) == 1);
  CHECK(exact.need_bytes(OpId(4'094)) == 8'189);
  const Problem many = with_needs(5'001);
  StaticMemory rounded(many);  // up to multiples of 3, as the largest is 2.4 times 4,096
  CHECK(rounded.need_bytes(OpId(0)) == 3);
  CHECK(rounded.need_bytes(OpId(1)) == 3);
  CHECK(rounded.need_bytes(OpId(2)) == 6);
  CHECK(rounded.need_bytes(OpId(5'000)) == 10'002);
  rounded.count_op(OpId(2), DeviceId(0), 1);
  rounded.count_op(OpId(5'000), DeviceId(1), 1);
  CHECK(rounded.bytes(DeviceId(0)) == 6);
  CHECK(rounded.overflow_bytes() == 2);
  rounded.count_op(OpId(5'000), DeviceId(1), -1);
  CHECK(rounded.bytes(DeviceId(1)) == 0);
}

TEST_CASE("Moves change loads, memory and calls to what they are from scratch") {
  Rng rng(5);
  for (int round = 0; round < 40; ++round) {
    const Problem problem = testing::random_problem(rng).with_goal(
        {.objective = round % 3 == 0 ? Objective::kCallLatency : Objective::kThroughput,
         .contiguity = round % 2 == 0 ? Contiguity::kNone : Contiguity::kContiguous});
    Simulator simulator(problem, Order::kFifo);
    GoalWalk walk(problem);
    Placement current = testing::random_placement(problem, rng);
    for (int step = 0; step < 20; ++step) {
      const Placement other = testing::random_placement(problem, rng);
      std::vector<Move> moves;
      Placement proposed = current;
      for (std::size_t group = 0; group < problem.groups().size(); ++group) {
        if (rng.below(3) > 0) continue;
        moves.push_back({GroupId(group), other[GroupId(group)]});
        proposed[GroupId(group)] = other[GroupId(group)];
      }
      CHECK(walk.propose(current, moves) == simulator.evaluate(proposed));
      if (rng.below(2) == 0) continue;
      walk.accept();
      current = proposed;
    }
  }
}

}  // namespace
}  // namespace placer
