// The fast paths themselves, so that none of them is skipped unseen: Simulator falls back where a
// path gives nothing.
#include <fmt/format.h>

#include <array>
#include <catch2/catch.hpp>
#include <optional>

#include "placer/base/units.hpp"
#include "sim/fifo.hpp"
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

TEST_CASE("The fifo path alone equals the referee, and gives up on short memory only",
          "[sim][fuzz]") {
  std::size_t served = 0, evaluated = 0;
  const Rng seed(23);
  for (std::size_t i = 0; i < kProblems; ++i) {
    Rng rng = seed.stream("fifo", i);
    const Problem problem = timed_problem(rng);
    const CompactLayout layout(problem);
    if (!FifoPath::serves(layout)) continue;
    FifoPath fifo(layout);
    for (int repeat = 0; repeat < 2; ++repeat) {
      const Placement placement = random_placement(problem, rng);
      const Score expected = referee_schedule(problem, Order::kFifo, placement).score;
      const std::optional<Score> found = fifo.evaluate(placement);
      INFO("problem " << i);
      if (found) REQUIRE((*found == expected));
      if (!expected.fits()) CHECK(!found);
      served += found ? 1 : 0;
      ++evaluated;
    }
  }
  CHECK(evaluated > kProblems);
  CHECK(served > evaluated / 2);
}

TEST_CASE("Only where each channel has one sender do the fast paths serve", "[sim]") {
  const auto serves = [](Contention contention, std::size_t devices, std::int64_t slots) {
    const Problem problem(chain(3),
                          alike({.devices = devices, .contention = contention, .slots = slots}));
    return FifoPath::serves(CompactLayout(problem));
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
  CHECK(!FifoPath(layout).evaluate(placement));
  CHECK(Simulator(problem, Order::kFifo).evaluate(placement).step_ps == to_picoseconds(8'192'000));
}

}  // namespace
}  // namespace placer::testing
