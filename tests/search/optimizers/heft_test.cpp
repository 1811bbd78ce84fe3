#include <catch2/catch.hpp>

#include "placer/search/optimizer.hpp"
#include "search/lists/rules.hpp"
#include "support/problems.hpp"
#include "support/scheduling_data.hpp"

namespace placer::testing {
namespace {

const OptionValues kFaithful{{"variants", false}};

TEST_CASE("HEFT gives the schedule of 80 that its paper prints") {
  const PublishedExample example = published_example();
  const ListSchedule schedule = heft_schedule(example.problem, {});
  CHECK(schedule.runs() == example.heft_runs);
  CHECK(to_seconds(schedule.makespan_ps()) == example.heft_seconds);
  CHECK(run_optimizer(example.problem, "heft").schedule_ps == schedule.makespan_ps());
}

TEST_CASE("an idle stretch before a late op takes a short op: 9 seconds, 11 without insertion") {
  // x runs 0-2 on gpu:0 and its output arrives at 5; y runs 5-9 on gpu:1; z has the lowest rank.
  std::vector<Op> ops{timed_op("x", 2), timed_op("y", 4), timed_op("z", 2)};
  ops[0].devices = {"gpu:0"};
  ops[1].devices = ops[2].devices = {"gpu:1"};
  const Problem problem(graph_of(ops, {tensor(0, {1}, 3)}), alike());
  CHECK(run_optimizer(problem, "heft").schedule_ps == to_picoseconds(9));
  CHECK(run_optimizer(problem, "heft", {{"insertion", false}}).schedule_ps == to_picoseconds(11));
}

TEST_CASE("parameters beyond the fast device's memory go to the slow one") {
  std::vector<Op> ops{timed_apart("a", 1, 10), timed_apart("b", 1, 10)};
  for (Op& op : ops) op.params_bytes = 6;
  const Problem problem(graph_of(ops, {}), alike({.memory_bytes = 10}));
  const SearchResult within = run_optimizer(problem, "heft", kFaithful);
  CHECK(within.score == Score{0, to_picoseconds(10)});
  const SearchResult beyond =
      run_optimizer(problem, "heft", {{"memory", false}, {"variants", false}});
  CHECK(beyond.score == Score{2, to_picoseconds(2)});
}

TEST_CASE("the first op of a group takes the others along") {
  // a would take 1 s on gpu:0; b, in its group, 9 s there and 1 s on gpu:1.
  std::vector<Op> ops{timed_apart("a", 1, 2), timed_apart("b", 9, 1)};
  ops[0].group = ops[1].group = "g";
  const Problem problem(graph_of(ops, {tensor(0, {1}, 1)}), alike());
  const SearchResult faithful = run_optimizer(problem, "heft", kFaithful);
  CHECK(faithful.placement == on_devices({0}));
  CHECK(faithful.evaluations == 1);
}

TEST_CASE("the variants see a group's other ops, and the claim stays HEFT's own") {
  std::vector<Op> ops{timed_apart("a", 1, 2), timed_apart("b", 9, 1)};
  ops[0].group = ops[1].group = "g";
  const Problem problem(graph_of(ops, {tensor(0, {1}, 1)}), alike());
  const SearchResult result = run_optimizer(problem, "heft");
  CHECK(result.placement == on_devices({1}));
  CHECK(result.score.step_ps == to_picoseconds(3));
  CHECK(result.schedule_ps == to_picoseconds(10));
  CHECK(result.evaluations == 3);
}

TEST_CASE("work promised to a device sends the next group to another") {
  // Each of two groups has a forward op of 1 s and, after both forwards, a backward op of 9 s. HEFT
  // and the first variant see gpu:0 busy for 1 s only when v's group is placed at 1 s or, by a
  // transfer of 2 s, at 3 s.
  std::vector<Op> ops{timed_op("u", 1), timed_op("v", 1), timed_op("u'", 9), timed_op("v'", 9)};
  ops[0].group = ops[2].group = "first";
  ops[1].group = ops[3].group = "second";
  const Problem problem(graph_of(ops, {tensor(0, {1}, 2), tensor(1, {2}, 0), tensor(1, {3}, 0)}),
                        alike());
  CHECK(run_optimizer(problem, "heft", kFaithful).score.step_ps == to_picoseconds(20));
  // u 0-1, v 3-4 on gpu:1, both backward ops 4-13.
  CHECK(run_optimizer(problem, "heft").score.step_ps == to_picoseconds(13));
}

void check_is_near(const std::vector<KnownOptimum>& optima) {
  for (const KnownOptimum& known : optima) {
    CAPTURE(known.name);
    const Picoseconds found_ps = heft_schedule(known.problem, {}).makespan_ps();
    CHECK(found_ps >= known.optimum_ps);
    CHECK(to_seconds(found_ps) <= 1.1 * to_seconds(known.optimum_ps));
  }
}

TEST_CASE("HEFT is never below the optimum of a standard task graph and at most a tenth above") {
  check_is_near(task_graphs());
}

TEST_CASE("HEFT is at most a tenth above the optima of the whole Standard Task Graph Set") {
  check_is_near(shared_task_graphs());
}

}  // namespace
}  // namespace placer::testing
