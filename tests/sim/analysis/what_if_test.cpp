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

TEST_CASE("A move that would help but does not fit is barred by its device's memory") {
  // 3 s and 3 s on 0, 1 s on 1: step 6. Either of the first on 1 gives 4; op1 there needs 13 of 10.
  std::vector<Op> ops = seconds_each({3, 3, 1});
  ops[1].params_bytes = 5;
  ops[2].params_bytes = 8;
  const Problem problem(graph_of(ops, {}), alike({.memory_bytes = 10}));
  const Placement placement = on_devices({0, 0, 1});
  const PlacedStep step{problem, placement, Order::kFifo, {}};
  const Score now = Simulator(problem, Order::kFifo).evaluate(placement);
  const std::vector<OpId> path = {OpId(0), OpId(1)};
  const auto barred = barred_moves(step, now, path, 10);
  CHECK(!barred[0]);
  REQUIRE(barred[1]);
  CHECK(barred[1]->group == GroupId(1));
  CHECK(barred[1]->step_ps == 4 * kSecond);
  CHECK(barred[1]->missing_bytes == 3);
  // Everything is tried twice. op0 on 1 needs 8 of 10 at most, whatever runs when: it is not tried.
  CHECK(!barred_moves(step, now, path, 2)[1]);
  CHECK(barred_moves(step, now, path, 3)[1]);
}

TEST_CASE("Everything on one device is barred where it would be faster and does not fit") {
  // op0 0-1 on 0, its 5 bytes 1-6, op1 6-7 on 1: step 7; alone 2, with 5 + 5 + 5 of 10 bytes.
  std::vector<Op> ops = seconds_each({1, 1});
  ops[0].params_bytes = ops[1].params_bytes = 5;
  const Problem problem(graph_of(ops, {tensor(0, {1}, 5)}), alike({.memory_bytes = 10}));
  const Placement placement = on_devices({0, 1});
  const Score now = Simulator(problem, Order::kFifo).evaluate(placement);
  REQUIRE(now.fits());
  const auto barred = barred_moves({problem, placement, Order::kFifo, {}}, now, {}, 10);
  for (const auto& move : barred) {
    REQUIRE(move);
    CHECK(!move->group);
    CHECK(move->step_ps == 2 * kSecond);
    CHECK(move->missing_bytes == 5);
  }
}

}  // namespace
}  // namespace placer::testing
