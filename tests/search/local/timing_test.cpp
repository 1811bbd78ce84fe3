#include "search/local/timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "placer/sim/simulator.hpp"
#include "support/problems.hpp"

namespace placer::testing {
namespace {

Picoseconds seconds(double value) { return to_picoseconds(value); }

Schedule schedule_of(const Problem& problem, const Placement& placement) {
  Schedule schedule;
  Simulator(problem, Order::kFifo).evaluate(placement, nullptr, &schedule);
  return schedule;
}

// a 0-1 and c 1-4 on 0, b 2-4 on 1 between transfers 1-2 and 4-5, d 5-6 on 0.
TEST_CASE("a diamond on two devices is critical along the branch that is transferred") {
  const Problem problem(diamond(), alike());
  Timing timing(problem);
  timing.read(schedule_of(problem, on_devices({0, 1, 0, 0})));
  const OpId a(0), b(1), c(2), d(3);
  CHECK(timing.step_ps() == seconds(6));
  CHECK(timing.tail_ps(a) == seconds(5));
  CHECK(timing.tail_ps(b) == seconds(2));
  CHECK(timing.tail_ps(c) == seconds(1));
  CHECK(timing.slack_ps(c) == seconds(1));
  CHECK(timing.before(c) == a);
  CHECK(timing.after(c) == d);
  CHECK_FALSE(timing.before(b));
  CHECK(timing.rank(d) == 2);
  Rng rng(1);
  std::vector<OpId> path;
  timing.critical_path(rng, path);
  CHECK(path == std::vector<OpId>{d, b, a});
}

TEST_CASE("on another device an op would be ready after a transfer and its consumers later") {
  const Problem problem(diamond(), alike());
  Timing timing(problem);
  timing.read(schedule_of(problem, on_devices({0, 1, 0, 0})));
  const OpId c(2);
  CHECK(timing.ready_ps(c, DeviceId(0)) == seconds(1));
  CHECK(timing.ready_ps(c, DeviceId(1)) == seconds(2));
  CHECK(timing.outputs_tail_ps(c, DeviceId(0)) == seconds(1));
  CHECK(timing.outputs_tail_ps(c, DeviceId(1)) == seconds(2));
  CHECK(timing.first_from(DeviceId(0), seconds(1)) == 1);
  CHECK(timing.first_from(DeviceId(0), seconds(9)) == 3);
}

// Four ops of 1 s on two slots: 0 and 1 at once, then 2 and 3, each after one of them.
TEST_CASE("on a device with two slots an op waits for the one that left its slot") {
  std::vector<Op> ops(4);
  for (std::size_t i = 0; i < ops.size(); ++i) ops[i] = timed_op("op" + std::to_string(i), 1);
  const Problem problem(graph_of(ops, {}), alike({.devices = 1, .slots = 2}));
  Timing timing(problem);
  timing.read(schedule_of(problem, on_devices({0, 0, 0, 0})));
  CHECK(timing.step_ps() == seconds(2));
  REQUIRE(timing.before(OpId(2)));
  REQUIRE(timing.before(OpId(3)));
  CHECK(timing.before(OpId(2)) != timing.before(OpId(3)));
  CHECK(timing.tail_ps(OpId(0)) == seconds(1));
  CHECK(timing.tail_ps(OpId(1)) == seconds(1));
}

TEST_CASE("no op of a schedule has negative slack and the critical path has none") {
  Rng rng(11);
  for (int round = 0; round < 40; ++round) {
    const Problem problem = random_problem(rng);
    const Schedule schedule = schedule_of(problem, random_placement(problem, rng));
    Timing timing(problem);
    timing.read(schedule);
    for (const OpRun& run : schedule.ops) REQUIRE(timing.slack_ps(run.op) >= 0);
    std::vector<OpId> path;
    timing.critical_path(rng, path);
    REQUIRE_FALSE(path.empty());
    for (const OpId op : path) REQUIRE(timing.slack_ps(op) == 0);
  }
}

TEST_CASE("timing that follows an order reads the same as that of its simulated schedule") {
  Rng rng(12);
  int followed = 0;
  for (int round = 0; round < 60; ++round) {
    const Problem problem =
        random_problem(rng, {.contention = Contention::kLink, .alike_devices = true});
    const Placement placement = random_placement(problem, rng);
    const OpOrder order = problem.graph().program_order();
    Schedule schedule;
    Simulator(problem, Order::kGiven).evaluate(placement, order, &schedule);
    Timing read(problem), own(problem);
    read.read(schedule);
    if (!own.follow(placement, order, schedule.score.step_ps)) continue;
    ++followed;
    for (const OpRun& run : schedule.ops) {
      REQUIRE(own.start_ps(run.op) == run.start_ps);
      REQUIRE(own.end_ps(run.op) == run.end_ps);
      REQUIRE(own.tail_ps(run.op) == read.tail_ps(run.op));
    }
  }
  REQUIRE(followed >= 20);
}

/// 20 ops of 0 to 3 s, with tensors of 0 bytes from some to later ones.
Problem random_shop(Rng& rng) {
  std::vector<Op> ops;
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < 20; ++i) {
    ops.push_back(timed_op(fmt::format("op{}", i), static_cast<double>(rng.below(4))));
    if (i > 0 && rng.chance(0.7)) tensors.push_back(tensor(rng.below(i), {i}, 0));
  }
  return Problem(graph_of(std::move(ops), std::move(tensors)), alike({.devices = 3}));
}

/// Moves one op of an order to where its producers and consumers leave it.
void shift_one(const Problem& problem, OpOrder& order, Rng& rng) {
  const std::size_t at = rng.below(order.size());
  std::size_t to = rng.chance(0.5) && at > 0 ? at - 1 : std::min(at + 1, order.size() - 1);
  const OpId first = order[std::min(at, to)], second = order[std::max(at, to)];
  for (const TensorId input : problem.graph().inputs(second)) {
    if (problem.graph().tensor(input).producer == first) return;
  }
  std::swap(order[at], order[to]);
}

TEST_CASE("timing that follows change after change reads the same as one that begins anew") {
  Rng rng(13);
  int followed = 0;
  for (int round = 0; round < 30; ++round) {
    const Problem problem = random_shop(rng);
    Placement placement = random_placement(problem, rng);
    OpOrder order = problem.graph().program_order();
    Timing kept(problem);
    for (int change = 0; change < 40; ++change) {
      if (rng.chance(0.5)) placement[GroupId(rng.below(20))] = DeviceId(rng.below(3));
      if (rng.chance(0.7)) shift_one(problem, order, rng);
      const Score score = Simulator(problem, Order::kGiven).evaluate(placement, order);
      Timing anew(problem);
      const bool follows = anew.follow(placement, order, score.step_ps);
      REQUIRE(kept.follow(placement, order, score.step_ps) == follows);
      if (!follows) continue;
      ++followed;
      Rng one(5), other(5);
      std::vector<OpId> path, same_path;
      kept.critical_path(one, path);
      anew.critical_path(other, same_path);
      REQUIRE(path == same_path);
      for (const DeviceId device : IdRange<DeviceId>(3)) {
        REQUIRE(std::ranges::equal(kept.ops_on(device), anew.ops_on(device)));
      }
      for (const OpId op : order) {
        REQUIRE(kept.start_ps(op) == anew.start_ps(op));
        REQUIRE(kept.end_ps(op) == anew.end_ps(op));
        REQUIRE(kept.tail_ps(op) == anew.tail_ps(op));
        REQUIRE(kept.rank(op) == anew.rank(op));
        REQUIRE(kept.before(op) == anew.before(op));
        REQUIRE(kept.after(op) == anew.after(op));
      }
    }
  }
  REQUIRE(followed >= 1000);
}

TEST_CASE("timing does not follow an order that ends at another time than simulated") {
  const Problem problem(chain(3), alike());
  Timing timing(problem);
  const Placement placement = on_devices({0, 1, 0});  // 1 s, transfer, 1 s, transfer, 1 s
  CHECK(timing.follow(placement, problem.graph().program_order(), seconds(5)));
  CHECK_FALSE(timing.follow(placement, problem.graph().program_order(), seconds(4)));
}

}  // namespace
}  // namespace placer::testing
