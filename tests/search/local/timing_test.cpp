#include "search/local/timing.hpp"

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

TEST_CASE("timing does not follow an order that ends at another time than simulated") {
  const Problem problem(chain(3), alike());
  Timing timing(problem);
  const Placement placement = on_devices({0, 1, 0});  // 1 s, transfer, 1 s, transfer, 1 s
  CHECK(timing.follow(placement, problem.graph().program_order(), seconds(5)));
  CHECK_FALSE(timing.follow(placement, problem.graph().program_order(), seconds(4)));
}

}  // namespace
}  // namespace placer::testing
