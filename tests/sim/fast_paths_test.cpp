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

/// Ops of no time, each reading the one before, and one more that takes a second.
Problem instant_chain(std::size_t length) {
  std::vector<Op> ops;
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < length; ++i) {
    ops.push_back(timed_op(fmt::format("op{}", i), 0));
    tensors.push_back(tensor(i, {i + 1}, 0));
  }
  ops.push_back(timed_op("last", 1));
  return Problem(graph_of(ops, tensors), alike());
}

TEST_CASE("An instant of 1,000 rounds is for the fast paths, one of 1,100 for the general loop",
          "[sim]") {
  for (const Order order : {Order::kFifo, Order::kPriority, Order::kPct}) {
    for (const std::size_t length : {1000u, 1100u}) {
      const Problem problem = instant_chain(length);
      const Placement placement = *problem.all_on(DeviceId(0));
      const CompactLayout layout(problem);
      const std::optional<Score> found =
          make_fast_path(layout, order)->evaluate(placement, nullptr);
      CHECK(found.has_value() == (length == 1000));
      if (found) CHECK(found->step_ps == to_picoseconds(1));
      CHECK(Simulator(problem, order).evaluate(placement).step_ps == to_picoseconds(1));
    }
  }
}

TEST_CASE("Fast paths serve every contention and order but msr where devices have one slot",
          "[sim]") {
  for (const Contention contention : {Contention::kLink, Contention::kEgress, Contention::kPorts,
                                      Contention::kHalfDuplex, Contention::kNone}) {
    for (const Order order : kAllOrders) {
      const auto serves = [&](std::int64_t slots) {
        const Problem problem(chain(3),
                              alike({.devices = 3, .contention = contention, .slots = slots}));
        return make_fast_path(CompactLayout(problem), order) != nullptr;
      };
      CHECK(serves(1) == (order != Order::kMsr));
      CHECK_FALSE(serves(2));
    }
  }
}

TEST_CASE("Where something takes no time, senders that share channels are for the general loop",
          "[sim]") {
  const auto serves = [](Contention contention) {
    const Problem problem(graph_of({timed_op("a", 0), timed_op("b", 1)}, {tensor(0, {1}, 1)}),
                          alike({.devices = 3, .contention = contention}));
    return make_fast_path(CompactLayout(problem), Order::kFifo) != nullptr;
  };
  CHECK(serves(Contention::kLink));
  CHECK_FALSE(serves(Contention::kPorts));
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

TEST_CASE("A step too long for the keys of requests for shared channels is left to the loop",
          "[sim]") {
  // 1,025 tensors: 11 bits for the id leave 53 for the time, 9,007.2 s, and 62 beside two ops.
  const auto problem = [](double first_seconds) {
    const std::vector<Tensor> tensors(1025, tensor(0, {1}, 1));
    return Problem(graph_of({timed_op("a", first_seconds), timed_op("b", 1)}, tensors),
                   alike({.devices = 3, .contention = Contention::kPorts}));
  };
  const Placement placement = on_devices({0, 1});
  for (const Order order : {Order::kFifo, Order::kPriority, Order::kPct, Order::kProgram}) {
    INFO(name_of(order));
    for (const double first_seconds : {7000.0, 8500.0}) {
      const Problem made = problem(first_seconds);
      const CompactLayout layout(made);
      const std::optional<Score> found =
          make_fast_path(layout, order)->evaluate(placement, nullptr);
      const Score score{0, to_picoseconds(first_seconds + 1025 + 1)};
      CHECK(found == (first_seconds == 7000 ? std::optional(score) : std::nullopt));
      CHECK(Simulator(made, order).evaluate(placement) == score);
    }
  }
}

}  // namespace
}  // namespace placer::testing
