#include "placer/sim/schedule_check.hpp"

#include <catch2/catch.hpp>

#include "placer/sim/simulator.hpp"
#include "support/problems.hpp"

namespace placer::testing {
namespace {

/// op0 on gpu:0 from 0 to 1 s, its tensor from 1 to 2 s, op1 on gpu:1 from 2 to 3 s.
struct Example {
  Problem problem = Problem(chain(2), alike());
  Placement placement = on_devices({0, 1});
  Schedule schedule;
  Example() { Simulator(problem, Order::kFifo).evaluate(placement, nullptr, &schedule); }
  std::string broken() const { return broken_rule(problem, placement, schedule); }
};

constexpr Picoseconds kSecond = 1'000'000'000'000;

TEST_CASE("A schedule of the simulator breaks no rule in any order of random problems", "[sim]") {
  Rng rng(5);
  for (int i = 0; i < 300; ++i) {
    const Problem problem = random_problem(rng);
    const Placement placement = random_placement(problem, rng);
    for (const Order order : kAllOrders) {
      INFO(i << " " << name_of(order));
      Schedule schedule;
      const Score score = Simulator(problem, order).evaluate(placement, nullptr, &schedule);
      CHECK(refuted_claim(problem, placement, score, schedule) == "");
    }
  }
}

TEST_CASE("A claim of a picosecond less is refuted with both scores", "[sim]") {
  const Example example;
  CHECK(refuted_claim(example.problem, example.placement, {0, 3 * kSecond - 1}, example.schedule) ==
        "the search claims a step of 2999999999999 ps with 0 bytes too many, the event loop finds "
        "3000000000000 ps with 0 bytes too many");
  CHECK(refuted_claim(example.problem, example.placement, {1, 3 * kSecond}, example.schedule) !=
        "");
}

TEST_CASE("An op that starts before its input has come breaks a rule", "[sim]") {
  Example example;
  example.schedule.ops[1].start_ps -= 1;
  example.schedule.ops[1].end_ps -= 1;
  CHECK(example.broken() == "op 'op1' starts before its inputs are there");
}

TEST_CASE("An op elsewhere, too short or with a transfer that is, breaks a rule", "[sim]") {
  Example elsewhere, brief, early;
  elsewhere.schedule.ops[1].device = DeviceId(0);
  CHECK(elsewhere.broken() == "op 'op1' runs on another device");
  brief.schedule.ops[0].end_ps -= 1;
  CHECK(brief.broken() == "op 'op0' does not take its time");
  early.schedule.transfers[0].begin_ps -= 1;
  CHECK(early.broken() == "an output of op 'op0' is too early");
}

TEST_CASE("Two ops at once in one slot, or two tensors on one channel, break a rule", "[sim]") {
  const Problem two(graph_of(seconds_each({2, 2}), {}), alike({.devices = 1}));
  Schedule schedule;
  Simulator(two, Order::kFifo).evaluate(on_devices({0, 0}), nullptr, &schedule);
  schedule.ops[1].start_ps = kSecond;
  schedule.ops[1].end_ps = 3 * kSecond;
  CHECK(broken_rule(two, on_devices({0, 0}), schedule) ==
        "op 'op1' finds no free slot of device 'gpu:0'");
  const Problem sent(graph_of(seconds_each({1, 1, 1}), {tensor(0, {1}, 2), tensor(0, {2}, 2)}),
                     alike());
  Simulator(sent, Order::kFifo).evaluate(on_devices({0, 1, 1}), nullptr, &schedule);
  schedule.transfers[1].begin_ps = 2 * kSecond;  // the first is sent from 1 to 3 s
  schedule.transfers[1].end_ps = 4 * kSecond;
  CHECK(broken_rule(sent, on_devices({0, 1, 1}), schedule) ==
        "gpu:0 -> gpu:1 carries two tensors at once");
}

TEST_CASE(
    "An op that is missing, another's or before the step, or a strange transfer, breaks a rule",
    "[sim]") {
  Example missing, other, before, back, nowhere, slow;
  missing.schedule.ops.pop_back();
  CHECK(missing.broken() == "1 of 2 ops ran");
  other.schedule.ops[1].op = OpId(0);
  CHECK(other.broken() == "op 'op1' runs on another device");
  before.schedule.ops[0].start_ps -= 1;
  before.schedule.ops[0].end_ps -= 1;
  CHECK(before.broken() == "op 'op0' does not take its time");
  back.schedule.transfers[0].from = DeviceId(1);
  back.schedule.transfers[0].to = DeviceId(0);
  CHECK(back.broken() == "an output of op 'op0' has no way");
  nowhere.schedule.transfers[0].to = DeviceId(0);
  CHECK(nowhere.broken() == "an output of op 'op0' has no way");
  slow.schedule.transfers[0].end_ps += 1;
  CHECK(slow.broken() == "an output of op 'op0' is too early");
}

TEST_CASE("A claim that a schedule's own score bears out is refuted where it breaks a rule",
          "[sim]") {
  Example example;
  example.schedule.ops[0].end_ps -= 1;
  CHECK(
      refuted_claim(example.problem, example.placement, example.schedule.score, example.schedule) ==
      "the event loop breaks a rule: op 'op0' does not take its time");
}

TEST_CASE("A step that ends before its last op breaks a rule", "[sim]") {
  Example example;
  example.schedule.score.step_ps -= 1;
  CHECK(example.broken() == "the last op ends at 3000000000000 ps, the step at 2999999999999 ps");
}

TEST_CASE("A pipeline's score need not be when the last op ends", "[sim]") {
  Example example;
  example.problem = example.problem.with_goal({.objective = Objective::kThroughput});
  const Score score = Simulator(example.problem, Order::kFifo)
                          .evaluate(example.placement, nullptr, &example.schedule);
  REQUIRE(score.step_ps == kSecond);
  CHECK(refuted_claim(example.problem, example.placement, score, example.schedule) == "");
}

TEST_CASE("A claim that fewer ops are astray is refuted with their number", "[sim]") {
  Example example;
  example.schedule.score.astray_ops = 2;
  CHECK(refuted_claim(example.problem, example.placement, {0, 3 * kSecond}, example.schedule) ==
        "the search claims a step of 3000000000000 ps with 0 bytes too many, the event loop finds "
        "3000000000000 ps with 0 bytes too many and 2 ops astray");
}

TEST_CASE("Of a schedule of many ops, what is wrong with one is found", "[sim]") {
  constexpr std::size_t kOps = 100'000;
  const Problem problem(chain(kOps), alike());
  std::vector<std::size_t> devices;
  for (std::size_t op = 0; op < kOps; ++op) devices.push_back(op < 70'000 ? 0 : 1);
  const Placement placement = on_devices(devices);
  Schedule schedule;
  Simulator(problem, Order::kFifo).evaluate(placement, nullptr, &schedule);
  CHECK(broken_rule(problem, placement, schedule) == "");
  Schedule early = schedule, sent = schedule;
  early.ops[50'000].start_ps -= 1;
  early.ops[50'000].end_ps -= 1;
  CHECK(broken_rule(problem, placement, early) ==
        "op 'op50000' finds no free slot of device 'gpu:0'");
  sent.transfers[0].begin_ps -= 1;
  sent.transfers[0].end_ps -= 1;
  CHECK(broken_rule(problem, placement, sent) == "an output of op 'op69999' is too early");
}

}  // namespace
}  // namespace placer::testing
