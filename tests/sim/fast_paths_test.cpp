// The fast paths themselves, so that none of them is skipped unseen: Simulator falls back where a
// path gives nothing.
#include <fmt/format.h>

#include <array>
#include <catch2/catch.hpp>
#include <memory>
#include <optional>

#include "placer/base/units.hpp"
#include "sim/fast_path.hpp"
#include "support/problems.hpp"

namespace placer::testing {
namespace {

constexpr std::array kSoleSenders = {Contention::kLink, Contention::kEgress, Contention::kNone};

TEST_CASE("An op that takes no time is left to the general loop under fifo and by rank", "[sim]") {
  const Problem problem(graph_of({timed_op("a", 0), timed_op("b", 1)}, {tensor(0, {1}, 0)}),
                        alike());
  const CompactLayout layout(problem);
  for (const Order order : {Order::kFifo, Order::kPriority, Order::kPct}) {
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
  for (const Order order : {Order::kFifo, Order::kPriority, Order::kPct}) {
    CHECK(!make_fast_path(layout, order)->evaluate(placement, nullptr));
    CHECK(Simulator(problem, order).evaluate(placement).step_ps == to_picoseconds(8'192'000));
  }
}

}  // namespace
}  // namespace placer::testing
