#include "placer/sim/critical_path.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "support/problems.hpp"

namespace placer::testing {
namespace {

CriticalPath path_of(const Problem& problem, Order order, const Placement& placement,
                     Schedule& schedule, const Sequences* sequences = nullptr) {
  Simulator(problem, order).evaluate(placement, sequences, &schedule);
  return critical_path(problem, schedule);
}

TEST_CASE("The path goes from the last op through the transfer that it waited for") {
  // a 0-1 and c 0-5 on gpu:0's two slots; a's byte travels 1-2, b 2-8 on gpu:1.
  const Problem problem(graph_of(seconds_each({1, 6, 5}), {tensor(0, {1}, 1)}),
                        alike({.slots = 2}));
  Schedule schedule;
  const CriticalPath path = path_of(problem, Order::kFifo, on_devices({0, 1, 0}), schedule);
  CHECK(path.ops == std::vector<OpId>{OpId(0), OpId(1)});
  CHECK(path.transfers == std::vector<std::size_t>{0});
  CHECK(path.steps == std::vector<CriticalStep>{{false, 0, Wait::kNothing},
                                                {true, 0, Wait::kData},
                                                {false, 1, Wait::kData}});
}

TEST_CASE("An op whose inputs were there waited for its device") {
  // op0 0-3 and op1 3-5 on one device; op1 has no inputs.
  const Problem problem(graph_of(seconds_each({3, 2}), {}), alike());
  Schedule schedule;
  const CriticalPath path = path_of(problem, Order::kFifo, on_devices({0, 0}), schedule);
  CHECK(path.ops == std::vector<OpId>{OpId(0), OpId(1)});
  CHECK(path.transfers.empty());
  CHECK(path.steps ==
        std::vector<CriticalStep>{{false, 0, Wait::kNothing}, {false, 1, Wait::kDevice}});
}

TEST_CASE("An op whose input takes no time waited for it at time 0 as well") {
  const Problem problem(graph_of(seconds_each({0, 1}), {tensor(0, {1}, 1)}), alike());
  Schedule schedule;
  const CriticalPath path = path_of(problem, Order::kFifo, on_devices({0, 0}), schedule);
  CHECK(path.steps ==
        std::vector<CriticalStep>{{false, 0, Wait::kNothing}, {false, 1, Wait::kData}});
}

TEST_CASE("A tensor that comes as an op begins, but is not its input, is not what it waited for") {
  // a 0-1 and b 1-2 on 0; c 0-4 on 1. a's byte comes to 1 at 2 for d 4-6, b's two at 4 for e 6-7.
  const Problem problem(
      graph_of(seconds_each({1, 1, 4, 2, 1}), {tensor(0, {3}, 1), tensor(1, {4}, 2)}), alike());
  Schedule schedule;
  const CriticalPath path = path_of(problem, Order::kFifo, on_devices({0, 0, 1, 1, 1}), schedule);
  CHECK(path.steps == std::vector<CriticalStep>{{false, 2, Wait::kNothing},
                                                {false, 3, Wait::kDevice},
                                                {false, 4, Wait::kDevice}});
}

TEST_CASE("A transfer that waited for its channel has the one before it on the path") {
  // a 0-1; its 2 bytes travel 1-3 and its 5 bytes 3-8 on the same link; b 8-9.
  const Problem problem(
      graph_of({timed_op("a", 1), timed_op("b", 1)}, {tensor(0, {1}, 2), tensor(0, {1}, 5)}),
      alike());
  Schedule schedule;
  const CriticalPath path = path_of(problem, Order::kFifo, on_devices({0, 1}), schedule);
  CHECK(path.transfers == std::vector<std::size_t>{0, 1});
  CHECK(path.ops.size() == 2);
  CHECK(path.steps == std::vector<CriticalStep>{{false, 0, Wait::kNothing},
                                                {true, 0, Wait::kData},
                                                {true, 1, Wait::kChannel},
                                                {false, 1, Wait::kData}});
}

TEST_CASE("An op waits for what came before it on its device, not for what comes of it") {
  // q 0-1 on gpu:2. At 1 s what takes no time, one after the other: on gpu:0 first, for which q has
  // to end, then x; y on gpu:1, for which x has to end; and, after that, last on gpu:0. Its id is
  // below that of first. e, from 1 to 2 on gpu:3, waits for x.
  const std::size_t last = 0, x = 1, first = 2, y = 3, q = 4, e = 5;
  const Problem problem(
      graph_of(seconds_each({0, 0, 0, 0, 1, 1}),
               {tensor(q, {first}, 0), tensor(x, {y, e}, 0), tensor(y, {last}, 0)}),
      alike({.devices = 4}));
  const Sequences sequences = {{OpId(first), OpId(x), OpId(last)}, {OpId(y)}, {OpId(q)}, {OpId(e)}};
  Schedule schedule;
  const CriticalPath path =
      path_of(problem, Order::kGiven, on_devices({0, 0, 0, 1, 2, 3}), schedule, &sequences);
  CHECK(path.steps == std::vector<CriticalStep>{{false, q, Wait::kNothing},
                                                {false, x, Wait::kTurn},
                                                {false, e, Wait::kData}});
  CHECK(path.ops == std::vector<OpId>{OpId(q), OpId(x), OpId(e)});
  CHECK(path.transfers.empty());
}

TEST_CASE("A transfer that takes no time is on the path once, with its producer") {
  // As before, at 1 s: z on gpu:1, for which q has to end, then p; f on gpu:0, for which p has to
  // end, then r, whose byte goes to gpu:1 at once. e, from 1 to 2 on gpu:1, waits for that.
  const std::size_t e = 0, z = 1, p = 2, f = 3, r = 4, q = 5;
  Tensor byte = tensor(r, {e}, 1);
  byte.transfer_seconds = 0;
  const Problem problem(
      graph_of(seconds_each({1, 0, 0, 0, 0, 1}), {tensor(q, {z}, 0), tensor(p, {f}, 0), byte}),
      alike({.devices = 3}));
  const Sequences sequences = {{OpId(f), OpId(r)}, {OpId(z), OpId(p), OpId(e)}, {OpId(q)}};
  Schedule schedule;
  const CriticalPath path =
      path_of(problem, Order::kGiven, on_devices({1, 1, 1, 0, 0, 2}), schedule, &sequences);
  CHECK(path.steps == std::vector<CriticalStep>{{false, q, Wait::kNothing},
                                                {false, p, Wait::kTurn},
                                                {false, r, Wait::kTurn},
                                                {true, 0, Wait::kData},
                                                {false, e, Wait::kData}});
}

TEST_CASE("The times of the path add up to the step under every order, on random problems") {
  Rng rng(11);
  for (int i = 0; i < 1200; ++i) {
    const Problem problem = random_problem(rng);
    const Order order = kAllOrders[static_cast<std::size_t>(i) % kAllOrders.size()];
    Schedule schedule;
    const Placement placement = random_placement(problem, rng);
    const Sequences sequences = random_sequences(problem, placement, rng);
    const bool is_given = order == Order::kGiven && deadlock_of(problem, sequences).empty();
    const CriticalPath path =
        path_of(problem, order, placement, schedule, is_given ? &sequences : nullptr);
    Picoseconds sum_ps = 0;
    for (const OpId op : path.ops) {
      sum_ps += schedule.ops[op.index()].end_ps - schedule.ops[op.index()].start_ps;
    }
    for (const std::size_t at : path.transfers) {
      sum_ps += schedule.transfers[at].end_ps - schedule.transfers[at].begin_ps;
    }
    INFO("problem " << i << ", order " << name_of(order));
    REQUIRE(sum_ps == schedule.score.step_ps);
    REQUIRE(std::set<OpId>(path.ops.begin(), path.ops.end()).size() == path.ops.size());
  }
}

}  // namespace
}  // namespace placer::testing
