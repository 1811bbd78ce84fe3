#include "placer/sim/what_if.hpp"

#include <catch2/catch.hpp>

#include "support/problems.hpp"

namespace placer::testing {
namespace {

constexpr Picoseconds kSecond = 1'000'000'000'000;

TEST_CASE("Faster links and faster devices shorten what is theirs") {
  // a 0-2 on 0, its byte travels 2-3, b 3-6 on 1.
  const Problem problem(graph_of(seconds_each({2, 3}), {tensor(0, {1}, 1)}), alike());
  const Placement placement = on_devices({0, 1});
  const PlacedStep step{problem, placement, Order::kFifo, {}};
  CHECK(score_if(step, {}).step_ps == 6 * kSecond);
  CHECK(score_if(step, {.links = 2}).step_ps == 11 * kSecond / 2);
  CHECK(score_if(step, {.devices = {2, 1}}).step_ps == 5 * kSecond);
  CHECK(score_if(step, {.devices = {1, 3}}).step_ps == 4 * kSecond);
}

TEST_CASE("A machine that is as fast as before gives the same score under every order") {
  Rng rng(13);
  for (int i = 0; i < 300; ++i) {
    const Problem problem = random_problem(rng);
    const Placement placement = random_placement(problem, rng);
    const Order order = kAllOrders[static_cast<std::size_t>(i) % kAllOrders.size()];
    INFO("problem " << i << ", order " << name_of(order));
    REQUIRE(score_if({problem, placement, order, {}}, {}) ==
            Simulator(problem, order).evaluate(placement));
  }
}

/// A placement whose step is simulated under order fifo.
struct Placed {
  const Problem& problem;
  Placement placement;
  Score now = Simulator(problem, Order::kFifo).evaluate(placement);

  std::vector<std::optional<BarredMove>> barred(const std::vector<OpId>& ops,
                                                std::size_t most_simulations) const {
    return barred_moves({problem, placement, Order::kFifo, {}}, now, ops, most_simulations);
  }
};

TEST_CASE("A move that would help but does not fit is barred by its device's memory") {
  // 3 s and 3 s on 0, 1 s on 1: step 6. Either of the first on 1 gives 4; op1 there needs 13 of 10.
  std::vector<Op> ops = seconds_each({3, 3, 1});
  ops[1].params_bytes = 5;
  ops[2].params_bytes = 8;
  const Problem problem(graph_of(ops, {}), alike({.memory_bytes = 10}));
  const Placed placed{problem, on_devices({0, 0, 1})};
  const std::vector<OpId> path = {OpId(0), OpId(1)};
  const auto barred = placed.barred(path, 10);
  CHECK(!barred[0]);
  REQUIRE(barred[1]);
  CHECK(barred[1]->group == GroupId(1));
  CHECK(barred[1]->step_ps == 4 * kSecond);
  CHECK(barred[1]->missing_bytes == 3);
  // Everything is tried twice. op0 on 1 needs 8 of 10 at most, whatever runs when: it is not tried.
  CHECK(!placed.barred(path, 2)[1]);
  CHECK(placed.barred(path, 3)[1]);
}

TEST_CASE("Past the deadline neither other machines nor other moves are simulated") {
  std::vector<Op> ops = seconds_each({3, 3, 1});
  ops[2].params_bytes = 10;
  ops[1].params_bytes = 1;
  const Problem problem(graph_of(ops, {}), alike({.memory_bytes = 10}));
  const Placed placed{problem, on_devices({0, 0, 1})};
  const Problem late = problem.within(Deadline({}, 0));
  const PlacedStep step{late, placed.placement, Order::kFifo, {}};
  CHECK_THROWS_AS(score_if(step, {}), Stopped);
  CHECK(placed.barred({OpId(1)}, 10)[1]);
  CHECK_THROWS_AS(barred_moves(step, placed.now, {OpId(1)}, 10), Stopped);
}

TEST_CASE("Everything on one device is barred where it would be faster and does not fit") {
  // op0 0-1 on 0, its 5 bytes 1-6, op1 6-7 on 1: step 7; alone 2, with 5 + 5 + 5 of 10 bytes.
  std::vector<Op> ops = seconds_each({1, 1});
  ops[0].params_bytes = ops[1].params_bytes = 5;
  const Problem problem(graph_of(ops, {tensor(0, {1}, 5)}), alike({.memory_bytes = 10}));
  const Placed placed{problem, on_devices({0, 1})};
  REQUIRE(placed.now.fits());
  const auto barred = placed.barred({}, 10);
  for (const auto& move : barred) {
    REQUIRE(move);
    CHECK(!move->group);
    CHECK(move->step_ps == 2 * kSecond);
    CHECK(move->missing_bytes == 5);
  }
}

TEST_CASE("Of the moves that a device's memory bars the fastest is told, of equal ones the first") {
  // 1, 4 and 2 s on 0, 1 s on 1: step 7; with one of them moved 6, 5 and 5. Each is too large by
  // its own number of bytes.
  std::vector<Op> ops = seconds_each({1, 4, 2, 1});
  for (std::size_t i = 0; i < 3; ++i) ops[i].params_bytes = static_cast<std::int64_t>(i) + 2;
  ops[3].params_bytes = 9;
  const Problem problem(graph_of(ops, {}), alike({.memory_bytes = 10}));
  const Placed placed{problem, on_devices({0, 0, 0, 1})};
  const auto barred = placed.barred({OpId(0), OpId(1), OpId(2)}, 10);
  REQUIRE(barred[1]);
  CHECK(barred[1]->group == GroupId(1));
  CHECK(barred[1]->step_ps == 5 * kSecond);
  CHECK(barred[1]->missing_bytes == 2);
}

TEST_CASE("A pipeline's move is barred by what it holds, and by its own device's memory alone") {
  // a 3 s -4-> b 1 s; c 3 s. All on 0: 7 s a step. a on 1: 4 s, with 4 of 6 bytes that leave and 4
  // that it makes.
  const Problem problem =
      Problem(graph_of(seconds_each({3, 1, 3}), {tensor(0, {1}, 4)}), alike({.memory_bytes = 6}))
          .with_goal({.objective = Objective::kThroughput});
  const Placed placed{problem, on_devices({0, 0, 0})};
  REQUIRE(placed.now == Score{0, 7 * kSecond});
  const auto barred = placed.barred({OpId(0)}, 10);
  CHECK(!barred[0]);
  REQUIRE(barred[1]);
  CHECK(barred[1]->group == GroupId(0));
  CHECK(barred[1]->step_ps == 4 * kSecond);
  CHECK(barred[1]->missing_bytes == 2);
  // b on 1 takes 6 s a step, but its input then is too much for 0; c on 1 takes 4 s and fits.
  CHECK(!placed.barred({OpId(1), OpId(2)}, 10)[1]);
}

TEST_CASE("A move that leaves as much over the memories as before is not barred by them") {
  // 3 s and 3 s on 0, 1 s on 1 with 13 of 10 bytes. The first two need none.
  std::vector<Op> ops = seconds_each({3, 3, 1});
  ops[2].params_bytes = 13;
  const Problem problem(graph_of(ops, {}), alike({.memory_bytes = 10}));
  const Placed placed{problem, on_devices({0, 0, 1})};
  REQUIRE(placed.now == Score{3, 6 * kSecond});
  CHECK(!placed.barred({OpId(0), OpId(1)}, 10)[1]);
}

TEST_CASE("Everything is tried on devices that may run it all and could hold too much") {
  // 5 s, then 5 bytes: step 11; alone 6. op0 may not run on 0, and 1 has room for all.
  std::vector<Op> ops = {on(timed_op("op0", 5), {"gpu:1", "gpu:2"}), timed_op("op1", 1)};
  for (Op& op : ops) op.params_bytes = 5;
  const Topology same = alike({.devices = 3, .memory_bytes = 10});
  std::vector<Device> devices = same.devices();
  devices[1].memory_bytes = 100;
  const Problem problem(graph_of(ops, {tensor(0, {1}, 5)}), Topology(devices, same.links()));
  const Placed placed{problem, on_devices({1, 2})};
  REQUIRE(placed.now == Score{0, 11 * kSecond});
  CHECK(!placed.barred({}, 0)[2]);
  const auto barred = placed.barred({}, 1);
  CHECK(!barred[0]);
  CHECK(!barred[1]);
  REQUIRE(barred[2]);
  CHECK(!barred[2]->group);
  CHECK(barred[2]->missing_bytes == 5);
}

TEST_CASE("A group that has several ops on the path is tried once") {
  // op0 and op1, 3 s together, and op2, 2 s, on 0; op3, 1 s, on 1: step 5. The pair on 1 gives 4,
  // op2 there 3. Neither fits, nor does everything on one device.
  std::vector<Op> ops = seconds_each({1, 2, 2, 1});
  ops[0].group = ops[1].group = "pair";
  ops[0].params_bytes = 3;
  ops[2].params_bytes = 5;
  ops[3].params_bytes = 8;
  const Problem problem(graph_of(ops, {}), alike({.memory_bytes = 10}));
  const Placed placed{problem, on_devices({0, 0, 1})};
  REQUIRE(placed.now == Score{0, 5 * kSecond});
  // Everything takes two simulations, the pair the third and op2 the fourth.
  const std::vector<OpId> path = {OpId(0), OpId(1), OpId(2)};
  const GroupId pair = problem.groups().of(OpId(0)), single = problem.groups().of(OpId(2));
  CHECK(placed.barred(path, 3)[1].value().group == pair);
  CHECK(placed.barred(path, 4)[1].value().group == single);
}

}  // namespace
}  // namespace placer::testing
