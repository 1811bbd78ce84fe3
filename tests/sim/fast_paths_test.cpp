// The fast paths themselves, so that none of them is skipped unseen: Simulator falls back where a
// path gives nothing.
#include <fmt/format.h>

#include <array>
#include <catch2/catch.hpp>
#include <memory>
#include <optional>

#include "placer/base/units.hpp"
#include "sim/fast_path.hpp"
#include "support/agreement.hpp"
#include "support/problems.hpp"
#include "support/referee.hpp"
#include "support/sanitizers.hpp"

namespace placer::testing {
namespace {

constexpr std::array kSoleSenders = {Contention::kLink, Contention::kEgress, Contention::kNone};
const std::size_t kProblems = kSanitized ? 200 : 1500;

Problem sole_senders_problem(Rng& rng, bool zero_times) {
  return random_problem(rng, {.most_ops = 40,
                              .contention = kSoleSenders[rng.below(kSoleSenders.size())],
                              .zero_times = zero_times,
                              .many_slots = false});
}

void check_score(const std::optional<Score>& found, const Score& expected) {
  REQUIRE(found);
  REQUIRE(found->step_ps == expected.step_ps);
  REQUIRE(found->overflow_bytes == expected.overflow_bytes);
}

/// How many evaluations a fast path did, each of which must equal the referee's.
std::size_t check_fast_paths(Order order, bool zero_times) {
  std::size_t evaluated = 0;
  const Rng seed(23);
  for (std::size_t i = 0; i < kProblems; ++i) {
    Rng rng = seed.stream("fast paths", i);
    const Problem problem = sole_senders_problem(rng, zero_times);
    const CompactLayout layout(problem);
    const std::unique_ptr<FastPath> path = make_fast_path(layout, order);
    if (!path) continue;
    INFO("problem " << i << ", order " << order_name(order));
    for (int repeat = 0; repeat < 2; ++repeat, ++evaluated) {
      const Placement placement = random_placement(problem, rng);
      check_score(path->evaluate(placement, nullptr),
                  referee_schedule(problem, order, placement).score);
      if (order != Order::kGiven) continue;
      const Sequences sequences = random_sequences(problem, placement, rng);
      const Score expected = referee_schedule(problem, order, placement, &sequences).score;
      check_score(path->evaluate(placement, &sequences), expected);
      if (expected == Score::deadlock()) continue;
      check_score(path->evaluate(placement, op_order_of(problem, sequences)), expected);
    }
  }
  return evaluated;
}

TEST_CASE("Where ops and transfers take time, the fast paths serve and equal the referee",
          "[sim][fuzz]") {
  const auto order = GENERATE(Order::kFifo, Order::kPriority);
  CHECK(check_fast_paths(order, false) > kProblems);
}

TEST_CASE("The strict fast paths also serve where ops and transfers take no time", "[sim][fuzz]") {
  const auto order = GENERATE(Order::kProgram, Order::kGiven);
  CHECK(check_fast_paths(order, true) > kProblems);
}

TEST_CASE("An op that takes no time is left to the general loop under fifo and priority", "[sim]") {
  const Problem problem(graph_of({timed_op("a", 0), timed_op("b", 1)}, {tensor(0, {1}, 0)}),
                        alike());
  const CompactLayout layout(problem);
  for (const Order order : {Order::kFifo, Order::kPriority}) {
    CHECK(!make_fast_path(layout, order)->evaluate(on_devices({0, 1}), nullptr));
  }
}

TEST_CASE("Fast paths serve only where each channel has one sender, and each device one slot",
          "[sim]") {
  const auto serves = [](Contention contention, std::size_t devices, std::int64_t slots) {
    const Problem problem(chain(3),
                          alike({.devices = devices, .contention = contention, .slots = slots}));
    return make_fast_path(CompactLayout(problem), Order::kFifo) != nullptr;
  };
  for (const Contention contention : kSoleSenders) CHECK(serves(contention, 3, 1));
  CHECK_FALSE(serves(Contention::kPorts, 3, 1));
  CHECK_FALSE(serves(Contention::kHalfDuplex, 2, 1));
  CHECK(serves(Contention::kPorts, 2, 1));  // the port into each has the other as its only sender
  CHECK_FALSE(serves(Contention::kLink, 3, 2));
}

TEST_CASE("A step too long for the keys is left to the general loop", "[sim]") {
  // 4,096 ops of 2,000 s: 12 bits for the id leave 52 for the time, 4,503.6 s.
  std::vector<Op> ops;
  for (std::size_t i = 0; i < 4096; ++i) ops.push_back(timed_op(fmt::format("op{}", i), 2000));
  const Problem problem(graph_of(ops, {tensor(0, {1}, 1), tensor(1, {2}, 1), tensor(2, {3}, 1)}),
                        alike());
  const Placement placement{std::vector<DeviceId>(4096, DeviceId(0))};
  const CompactLayout layout(problem);
  for (const Order order : {Order::kFifo, Order::kPriority}) {
    CHECK(!make_fast_path(layout, order)->evaluate(placement, nullptr));
    CHECK(Simulator(problem, order).evaluate(placement).step_ps == to_picoseconds(8'192'000));
  }
}

}  // namespace
}  // namespace placer::testing
