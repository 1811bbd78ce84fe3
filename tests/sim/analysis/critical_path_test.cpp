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
