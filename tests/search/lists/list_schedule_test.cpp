#include "search/lists/list_schedule.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "search/groups/neighbours.hpp"
#include "search/lists/ranks.hpp"
#include "search/lists/rules.hpp"
#include "support/problems.hpp"
#include "support/scheduling_data.hpp"

namespace placer::testing {
namespace {

TEST_CASE("an op that is tried and taken back leaves the schedule as it was") {
  // a on gpu:0 0-1; b, tried on gpu:1, would claim the channel 1-3 and end at 4.
  std::vector<Op> ops{timed_op("a", 1), timed_op("b", 1), timed_op("c", 1)};
  const Problem problem(graph_of(ops, {tensor(0, {1}, 2), tensor(0, {2}, 2)}), alike());
  ListSchedule schedule(problem, {.contention = true});
  schedule.place(OpId(0), schedule.earliest(OpId(0), DeviceId(0)));
  const ListSchedule::Step step =
      schedule.try_place(OpId(1), schedule.earliest(OpId(1), DeviceId(1)));
  CHECK(schedule.makespan_ps() == to_picoseconds(4));
  CHECK(schedule.earliest(OpId(2), DeviceId(1)).start_ps == to_picoseconds(5));
  schedule.take_back(step);
  CHECK(schedule.makespan_ps() == to_picoseconds(1));
  CHECK_FALSE(schedule.is_fixed(GroupId(1)));
  CHECK(schedule.earliest(OpId(2), DeviceId(1)).start_ps == to_picoseconds(3));
}

TEST_CASE("a planned tensor is sent once to a device, however many consumers wait there") {
  // a 0-1 on gpu:0, its tensor of 2 bytes 1-3, b 3-4 and c 4-5 on gpu:1.
  std::vector<Op> ops{timed_op("a", 1), timed_op("b", 1), timed_op("c", 1)};
  ops[0].devices = {"gpu:0"};
  ops[1].devices = ops[2].devices = {"gpu:1"};
  const Problem problem(graph_of(ops, {tensor(0, {1, 2}, 2)}), alike());
  CHECK(heft_schedule(problem, {.contention = true}).makespan_ps() == to_picoseconds(5));
}

TEST_CASE("means are over allowed devices and over pairs of distinct devices") {
  // a takes 2 s and 6 s; its 6 bytes take 1 s from gpu:0 to gpu:1 and 3 s back.
  const Topology machine = alike();
  const std::vector<Link> links{{"gpu:0", "gpu:1", 6, 0, {}}, {"gpu:1", "gpu:0", 2, 0, {}}};
  Op b = timed_apart("b", 5, 1);
  b.devices = {"gpu:0"};
  const Problem problem(graph_of({timed_apart("a", 2, 6), b}, {tensor(0, {1}, 6)}),
                        Topology(machine.devices(), links));
  const MeanCosts costs = mean_costs(problem);
  CHECK(costs.op_ps == std::vector<double>{4e12, 5e12});
  CHECK(costs.tensor_ps == std::vector<double>{2e12});
  const Neighbours neighbours(problem);
  REQUIRE(neighbours.edges().size() == 1);
  CHECK(neighbours.edges()[0].transfer_seconds == 2);
  CHECK(mean_upward_ranks(problem, costs) == std::vector<double>{11e12, 5e12});
  CHECK(mean_downward_ranks(problem, costs) == std::vector<double>{0, 6e12});
}

TEST_CASE("upward ranks are those that the paper prints") {
  const PublishedExample example = published_example();
  const std::vector<double> ranks = mean_upward_ranks(example.problem, mean_costs(example.problem));
  REQUIRE(ranks.size() == example.upward_ranks.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    CHECK(ranks[i] / kPicosecondsPerSecond == Approx(example.upward_ranks[i]).margin(0.0006));
  }
}

std::vector<DeviceId> candidates(ListSchedule& schedule, std::size_t group) {
  const auto found = schedule.candidates(GroupId(group));
  return {found.begin(), found.end()};
}

TEST_CASE("a group goes where its parameters fit, or else where most room is left") {
  std::vector<Op> ops{timed_op("a", 1), timed_op("b", 1), timed_op("c", 1)};
  for (Op& op : ops) op.params_bytes = 6;
  const Problem problem(graph_of(ops, {}), alike({.memory_bytes = 10}));
  ListSchedule schedule(problem, {});
  CHECK(candidates(schedule, 0) == std::vector{DeviceId(0), DeviceId(1)});
  schedule.place(OpId(0), schedule.earliest(OpId(0), DeviceId(0)));
  CHECK(candidates(schedule, 1) == std::vector{DeviceId(1)});
  schedule.place(OpId(1), schedule.earliest(OpId(1), DeviceId(1)));
  CHECK(candidates(schedule, 2) == std::vector{DeviceId(0)});
  CHECK_FALSE(schedule.overflows());
  schedule.place(OpId(2), schedule.earliest(OpId(2)));
  CHECK(schedule.overflows());
  ListSchedule heedless(problem, {.memory = false});
  CHECK(candidates(heedless, 0).size() == 2);
}

TEST_CASE("two slots take two ops at once and the third after the shorter") {
  const Problem problem(graph_of({timed_op("a", 3), timed_op("b", 2), timed_op("c", 1)}, {}),
                        alike({.devices = 1, .slots = 2}));
  ListSchedule schedule(problem, {});
  for (const OpId op : IdRange<OpId>(3)) schedule.place(op, schedule.earliest(op));
  CHECK(schedule.runs()[1].start_ps == 0);
  CHECK(schedule.runs()[2].start_ps == to_picoseconds(2));
  CHECK(schedule.makespan_ps() == to_picoseconds(3));
}

Problem without_contention(const Problem& problem) {
  std::vector<Link> links = problem.topology().links();
  for (Link& link : links) link.channels.clear();
  return Problem(problem.graph(), Topology(problem.topology().devices(), links, Contention::kNone));
}

/// Rules that differ in every part of the engine.
std::vector<ListRule> all_rules() {
  std::vector<ListRule> rules;
  for (const ListRule& rule : portfolio_rules()) {
    for (const bool insertion : {true, false}) {
      rules.push_back(rule);
      rules.back().schedule.insertion = insertion;
      rules.back().schedule.contention = false;
    }
  }
  return rules;
}

TEST_CASE("without contention the simulator never needs longer than a list schedule claims") {
  const Rng rng(30);
  for (std::size_t i = 0; i < 60; ++i) {
    Rng draws = rng.stream("list", i);
    const Problem problem = without_contention(random_problem(draws));
    ListScheduler scheduler(problem);
    Simulator simulator(problem, Order::kGiven);
    const std::vector<ListRule> rules = all_rules();
    for (std::size_t r = 0; r < rules.size(); ++r) {
      CAPTURE(i, r);
      const ListSchedule schedule = scheduler.run(rules[r]);
      const Score score = simulator.evaluate(schedule.placement(), schedule.order());
      REQUIRE(score.step_ps <= schedule.makespan_ps());
    }
  }
}

TEST_CASE(
    "a static level counts the median of three times and the mean of the middle two of four") {
  Op op = timed_op("a", 1);
  op.seconds = {{"gpu:0", 1}, {"gpu:1", 5}, {"gpu:2", 6}, {"gpu:3", 9}};
  const auto level = [&](std::size_t devices) {
    const Problem problem(graph_of({op}, {}), alike({.devices = devices}));
    return static_levels(problem, median_op_ps(problem)).front();
  };
  CHECK(level(3) == static_cast<double>(to_picoseconds(5)));
  CHECK(level(4) == static_cast<double>(to_picoseconds(5.5)));
}

TEST_CASE("a share of what comes and goes can count as kept") {
  // HEFT has all four on gpu:0; if 9 of the 10 bytes of each counted, three would fill its 30.
  std::vector<Op> ops;
  for (const char* name : {"a", "b", "c", "d"}) ops.push_back(timed_apart(name, 1, 9));
  for (const char* name : {"p", "q", "r", "s"}) ops.push_back(timed_apart(name, 1, 1));
  std::vector<Tensor> tensors;
  for (std::size_t op = 0; op < 4; ++op) tensors.push_back(tensor(op, {op + 4}, 10));
  const Problem problem(graph_of(ops, tensors), alike({.memory_bytes = 30}));
  const auto on_first = [&](double share) {
    const Placement placement = heft_schedule(problem, {.activations = share}).placement();
    return std::count(placement.devices.begin(), placement.devices.begin() + 4, DeviceId(0));
  };
  CHECK(on_first(0) == 4);
  CHECK(on_first(0.7) == 4);
  CHECK(on_first(0.9) == 3);
}

}  // namespace
}  // namespace placer::testing
