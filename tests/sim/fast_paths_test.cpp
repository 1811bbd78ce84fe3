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
const std::size_t kProblems = kSanitized ? 300 : 3000;

/// Ties everywhere, but every op and transfer takes some time.
Problem timed_problem(Rng& rng) {
  return random_problem(rng, {.most_ops = 40,
                              .contention = kSoleSenders[rng.below(kSoleSenders.size())],
                              .zero_times = false,
                              .many_slots = false});
}

/// Whether a path served, after comparing.
bool agrees(FastPath& path, const Problem& problem, Order order, const Placement& placement,
            const Sequences* sequences = nullptr) {
  const Score expected = referee_schedule(problem, order, placement, sequences).score;
  const std::optional<Score> found = path.evaluate(placement, sequences);
  if (found) REQUIRE((*found == expected));
  return found.has_value();
}

TEST_CASE("The fast paths themselves equal the referee where they serve, which is often",
          "[sim][fuzz]") {
  const auto order = GENERATE(Order::kFifo, Order::kPriority, Order::kProgram, Order::kGiven);
  std::size_t served = 0, evaluated = 0;
  const Rng seed(23);
  for (std::size_t i = 0; i < kProblems; ++i) {
    Rng rng = seed.stream("fast paths", i);
    const Problem problem = timed_problem(rng);
    const CompactLayout layout(problem);
    const std::unique_ptr<FastPath> path = make_fast_path(layout, order);
    if (!path) continue;
    for (int repeat = 0; repeat < 2; ++repeat) {
      const Placement placement = random_placement(problem, rng);
      INFO("problem " << i << ", order " << order_names()[static_cast<std::size_t>(order)]);
      served += agrees(*path, problem, order, placement) ? 1 : 0;
      ++evaluated;
      if (order != Order::kGiven) continue;
      const Sequences sequences = random_sequences(problem, placement, rng);
      agrees(*path, problem, order, placement, &sequences);
    }
  }
  CHECK(evaluated > kProblems);
  CHECK(served > evaluated / 2);
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
