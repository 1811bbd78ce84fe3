#include "search/exact/late_schedule.hpp"

#include <catch2/catch.hpp>

#include "search/bounds/step_windows.hpp"
#include "support/problems.hpp"
#include "support/scheduling_data.hpp"

namespace placer {
namespace {

using testing::alike;
using testing::graph_of;
using testing::tensor;
using testing::timed_apart;
using testing::timed_op;

Picoseconds seconds(double value) { return to_picoseconds(value); }

StepWindows windows_of(const Problem& problem, double limit_seconds) {
  return windows_within(problem, MemoryFit(problem), seconds(limit_seconds));
}

Picoseconds start_on(const StepWindows& windows, std::size_t op, std::size_t device) {
  return windows.starts_ps[op * 2 + device];
}

Picoseconds end_on(const StepWindows& windows, std::size_t op, std::size_t device) {
  return windows.ends_ps[op * 2 + device];
}

/// a on 0, then b on 1, 2 s away; the same a also sends c what takes 1 s and is served first.
Problem hurried(Contention contention) {
  return Problem(
      graph_of({timed_apart("a", 1, 100), timed_apart("b", 100, 1), timed_apart("c", 1, 1)},
               {tensor(0, {2}, 1), tensor(0, {1}, 2)}),
      alike({.contention = contention}));
}

/// Every op ends by `limit_ps` wherever it is.
StepWindows endless(const Problem& problem, Picoseconds limit_ps) {
  StepWindows windows;
  windows.starts_ps.assign(problem.op_count() * problem.device_count(), 0);
  windows.ends_ps.assign(windows.starts_ps.size(), limit_ps);
  return windows;
}

/// A topological order of placed ops.
OpOrder by_rank(const Problem& problem, const Placement& placement) {
  return op_order_of(problem, upward_rank_sequences(problem, placement));
}

/// Each channel has one sender.
Problem one_slot_problem(Rng& rng) {
  return testing::random_problem(rng, {.contention = Contention::kLink,
                                       .alike_devices = true,
                                       .many_slots = false,
                                       .limits = false});
}

}  // namespace

TEST_CASE("what would be sent ahead of a transfer that cannot wait has to stay") {
  // a 0-1, transfer 1-3, b 3-4: with c on 1 the transfer would be 2-4.
  const Problem problem = hurried(Contention::kLink);
  const StepWindows four = windows_of(problem, 4);
  CHECK(four.possible);
  CHECK(four.fixed_ops == 2);
  CHECK_FALSE(four.may_be(OpId(2), DeviceId(1), 2));
  CHECK(start_on(four, 2, 0) == seconds(1));
  CHECK(end_on(four, 2, 0) == seconds(4));
  // With a second to spare c may be there too, once its transfer has been.
  const StepWindows five = windows_of(problem, 5);
  CHECK(five.fixed_ops == 0);
  CHECK(start_on(five, 2, 1) == seconds(2));
  CHECK(end_on(five, 2, 1) == seconds(5));
}

TEST_CASE("without contention nothing has to stay for a transfer's sake") {
  CHECK(windows_of(hurried(Contention::kNone), 4).may_be(OpId(2), DeviceId(1), 2));
}

TEST_CASE("a step shorter than the critical path is impossible") {
  CHECK_FALSE(windows_of(hurried(Contention::kLink), 3.5).possible);
}

TEST_CASE("what does not fit between ops without slack goes elsewhere") {
  // a 0-1 on 0, b 3-4 on 1, c 6-7 on 0: 5 s are left on 0, no more than 3 s in a row on 1.
  const Problem problem(graph_of({timed_apart("a", 1, 100), timed_apart("b", 100, 1),
                                  timed_apart("c", 1, 100), timed_op("w", 4)},
                                 {tensor(0, {1}, 2), tensor(1, {2}, 2)}),
                        alike());
  const StepWindows windows = windows_of(problem, 7);
  CHECK(windows.fixed_ops == 3);
  CHECK_FALSE(windows.may_be(OpId(3), DeviceId(1), 2));
  CHECK(start_on(windows, 3, 0) == seconds(1));
  CHECK(end_on(windows, 3, 0) == seconds(6));
}

TEST_CASE("windows hold what the schedules of random problems do in a step as long") {
  Rng rng(5);
  for (int i = 0; i < 50; ++i) {
    const Problem problem = testing::random_problem(rng);
    const Placement placement = testing::random_placement(problem, rng);
    Schedule schedule;
    Simulator(problem, Order::kGiven).evaluate(placement, by_rank(problem, placement), &schedule);
    if (!schedule.score.fits()) continue;
    const StepWindows windows = windows_within(problem, MemoryFit(problem), schedule.score.step_ps);
    REQUIRE(windows.possible);
    for (const OpRun& run : schedule.ops) {
      const std::size_t at = run.op.index() * problem.device_count() + run.device.index();
      CHECK(windows.starts_ps[at] <= run.start_ps);
      CHECK(windows.ends_ps[at] >= run.end_ps);
    }
  }
}

TEST_CASE("an op that ends after its deadline is late and counts as in time for others") {
  // Deadlines 1 and 2 on one device; the first op takes 3 s, the second 1 s.
  const Problem problem(graph_of({timed_op("a", 3), timed_op("b", 1)}, {tensor(0, {1}, 1)}),
                        alike({.devices = 1}));
  StepWindows windows = endless(problem, seconds(9));
  windows.ends_ps = {seconds(1), seconds(2)};
  LateSchedule schedule(problem, windows);
  schedule.read(testing::on_devices({0, 0}), {OpId(0), OpId(1)});
  CHECK(schedule.lateness_ps() == seconds(2));
  CHECK(schedule.start_ps(OpId(1)) == seconds(1));
}

TEST_CASE("without deadlines a late schedule is the simulated one, sorted or not") {
  Rng rng(6);
  for (int i = 0; i < 30; ++i) {
    const Problem problem = one_slot_problem(rng);
    const Placement placement = testing::random_placement(problem, rng);
    const OpOrder order = by_rank(problem, placement);
    Schedule simulated;
    Simulator(problem, Order::kGiven).evaluate(placement, order, &simulated);
    const StepWindows windows = endless(problem, simulated.score.step_ps);
    LateSchedule schedule(problem, windows);
    schedule.read(placement, order);
    for (int sorted = 0; sorted < 2; ++sorted) {
      CHECK(schedule.lateness_ps() == 0);
      for (const OpRun& run : simulated.ops) CHECK(schedule.start_ps(run.op) == run.start_ps);
      schedule.sort();
    }
  }
}

TEST_CASE("a changed late schedule is what reading it anew gives, kept or taken back") {
  Rng rng(7);
  for (int i = 0; i < 20; ++i) {
    const Problem problem = one_slot_problem(rng);
    StepWindows windows = endless(problem, 0);
    for (Picoseconds& end_ps : windows.ends_ps) end_ps = seconds(5 * rng.uniform());
    LateSchedule changed(problem, windows), anew(problem, windows);
    const Placement placement = testing::random_placement(problem, rng);
    changed.read(placement, by_rank(problem, placement));
    for (int step = 0; step < 40; ++step) {
      const OpId op(rng.below(problem.op_count()));
      const Picoseconds before_ps = changed.lateness_ps();
      const Picoseconds after_ps = changed.change(
          {op, DeviceId(rng.below(problem.device_count())), rng.below(problem.op_count())});
      if (rng.chance(0.5)) {
        changed.take_back();
        CHECK(changed.lateness_ps() == before_ps);
      } else {
        changed.keep();
        CHECK(changed.lateness_ps() == after_ps);
      }
      anew.read(changed.placement(), changed.order());
      CHECK(changed.lateness_ps() == anew.lateness_ps());
      CHECK(changed.draw_cause(rng).index() < problem.op_count());
    }
  }
}

TEST_CASE("once the only late op is in time any op is drawn") {
  // Of two ops on one device the second ends 1 s after its deadline; beside the first it is in
  // time.
  const Problem problem(graph_of({timed_op("a", 1), timed_op("b", 1)}, {}), alike());
  StepWindows windows = endless(problem, seconds(9));
  windows.ends_ps = {seconds(9), seconds(9), seconds(1), seconds(1)};
  LateSchedule schedule(problem, windows);
  schedule.read(testing::on_devices({0, 0}), {OpId(0), OpId(1)});
  REQUIRE(schedule.lateness_ps() == seconds(1));
  REQUIRE(schedule.change({OpId(1), DeviceId(1), 1}) == 0);
  schedule.keep();
  Rng rng(8);
  std::vector<int> drawn(2);
  for (int i = 0; i < 64; ++i) ++drawn[schedule.draw_cause(rng).index()];
  CHECK(drawn[0] > 0);
  CHECK(drawn[1] > 0);
}

TEST_CASE("ops that go along with their group are timed anew though all between stays as it was") {
  // The ops of 0 s between the group's first and last (1 s) leave 2 s of work before the last on
  // the one device and 5 s on the other.
  std::vector<double> times(17, 0);
  times[1] = 2;
  times[2] = 5;
  times[16] = 1;
  std::vector<Op> ops = testing::seconds_each(times);
  ops[0].group = ops[16].group = "first and last";
  const Problem problem(graph_of(ops, {}), alike());
  const StepWindows windows = endless(problem, seconds(9));
  std::vector<std::size_t> devices(16, 0);
  devices[2] = 1;
  OpOrder order;
  for (const OpId op : IdRange<OpId>(17)) order.push_back(op);
  LateSchedule schedule(problem, windows);
  schedule.read(testing::on_devices(devices), order);
  REQUIRE(schedule.start_ps(OpId(16)) == seconds(2));
  schedule.change({OpId(0), DeviceId(1), 0});
  CHECK(schedule.start_ps(OpId(16)) == seconds(5));
}

TEST_CASE("the cause of a late op may be the op before it on its device") {
  const Problem problem(graph_of({timed_op("a", 1), timed_op("b", 1)}, {}), alike({.devices = 1}));
  StepWindows windows = endless(problem, seconds(9));
  windows.ends_ps = {seconds(9), seconds(1)};
  LateSchedule schedule(problem, windows);
  schedule.read(testing::on_devices({0, 0}), {OpId(0), OpId(1)});
  Rng rng(9);
  std::vector<int> drawn(2);
  for (int i = 0; i < 64; ++i) ++drawn[schedule.draw_cause(rng).index()];
  CHECK(drawn[0] > 0);
  CHECK(drawn[1] > 0);
}

}  // namespace placer
