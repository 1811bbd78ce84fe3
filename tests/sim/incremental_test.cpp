#include "placer/sim/incremental.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>
#include <vector>

#include "support/problems.hpp"
#include "support/sanitizers.hpp"

namespace placer::testing {
namespace {

using Use = Incremental::Use;

constexpr std::array kServed = {Contention::kLink, Contention::kEgress, Contention::kNone};

/// FUZZ times as many problems, for a longer look.
std::size_t scaled(std::size_t problems) {
  const char* times = std::getenv("FUZZ");
  return times != nullptr ? problems * std::stoul(times) : problems / (kSanitized ? 5 : 1);
}

/// One to four groups to allowed devices.
std::vector<Move> random_moves(const Problem& problem, Rng& rng) {
  std::vector<Move> moves;
  for (std::size_t left = 1 + (rng.chance(0.3) ? rng.below(4) : 0); left > 0; --left) {
    const GroupId group(rng.below(problem.groups().size()));
    moves.push_back({group, rng.pick(problem.groups().allowed(group))});
  }
  return moves;
}

Placement moved(Placement placement, const std::vector<Move>& moves) {
  for (const Move& move : moves) placement[move.group] = move.device;
  return placement;
}

/// Proposes, and accepts a share that differs from walk to walk; every score must be what a
/// simulator of its own says.
Incremental::Work check_walk(const Problem& problem, Use use, int proposals, Rng& rng) {
  Simulator simulator(problem, Order::kFifo), other(problem, Order::kFifo);
  Incremental incremental(simulator, use);
  Placement current = random_placement(problem, rng);
  const double accepted = rng.uniform();
  for (int i = 0; i < proposals; ++i) {
    const std::vector<Move> moves = random_moves(problem, rng);
    const Placement proposed = moved(current, moves);
    const Score score = incremental.propose(current, proposed, moves);
    const Score expected = other.evaluate(proposed);
    REQUIRE(score.overflow_bytes == expected.overflow_bytes);
    REQUIRE(score.step_ps == expected.step_ps);
    if (rng.chance(accepted)) {
      incremental.accept();
      current = proposed;
    } else if (rng.chance(0.02)) {
      incremental.restart();
      current = random_placement(problem, rng);
    }
  }
  return incremental.work();
}

void add(Incremental::Work& sum, const Incremental::Work& work) {
  sum.proposals += work.proposals;
  sum.full_evaluations += work.full_evaluations;
  sum.logs += work.logs;
  sum.steps += work.steps;
}

/// 20 to 300 ops that read one to three of the few before them, so that a change is soon forgotten;
/// few distinct times and sizes, and sometimes little memory.
Problem narrow_problem(Rng& rng, Contention contention) {
  const std::size_t count = 20 + rng.below(280), reach = 1 + rng.below(6);
  const std::size_t times = rng.chance(0.2) ? 1000 : 1 + rng.below(4);
  const double apart = rng.chance(0.3) ? 0.2 : 0;  // ops that read nothing
  const bool tight = rng.chance(0.2);
  const auto memory_bytes = static_cast<std::int64_t>(tight ? rng.below(3 * count) : 1'000'000);
  std::vector<Op> ops;
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < count; ++i) {
    ops.push_back(timed_op(fmt::format("op{}", i), static_cast<double>(1 + rng.below(times))));
    ops.back().temp_bytes = static_cast<std::int64_t>(rng.below(2));
    if (rng.chance(0.1)) ops.back().group = fmt::format("g{}", rng.below(20));
    tensors.push_back(tensor(i, {}, static_cast<std::int64_t>(rng.below(4))));
    for (std::size_t left = rng.chance(apart) ? 0 : 1 + rng.below(3); left > 0 && i > 0; --left) {
      tensors[i - 1 - rng.below(std::min(i, reach))].consumers.emplace_back(i);
    }
  }
  return Problem(graph_of(ops, tensors), alike({.devices = 1 + rng.below(5),
                                                .contention = contention,
                                                .memory_bytes = memory_bytes,
                                                .bytes_per_second = rng.chance(0.5) ? 1.0 : 4.0,
                                                .latency_seconds = rng.chance(0.3) ? 1.0 : 0.0}));
}

TEST_CASE("Moves score as whole placements do in graphs that forget a change", "[incremental]") {
  const Rng seed(22);
  Incremental::Work sum;
  std::int64_t all_steps = 0;
  for (std::size_t i = 0; i < scaled(400); ++i) {
    Rng rng = seed.stream("narrow", i);
    const Problem problem = narrow_problem(rng, kServed[i % kServed.size()]);
    INFO("problem " << i);
    const Incremental::Work work = check_walk(problem, Use::kAlways, 50, rng);
    add(sum, work);
    all_steps += work.proposals * static_cast<std::int64_t>(problem.op_count());
  }
  CHECK(sum.full_evaluations > 0);  // memory may be short
  CHECK(sum.full_evaluations * 5 < sum.proposals);
  CHECK(sum.steps * 3 < all_steps);
}

TEST_CASE("Moves score as whole placements do in random graphs", "[incremental]") {
  const Rng seed(23);
  Incremental::Work sum;
  for (std::size_t i = 0; i < scaled(400); ++i) {
    Rng rng = seed.stream("served", i);
    const Problem problem = random_problem(rng, {.most_ops = rng.chance(0.5) ? 200U : 30U,
                                                 .contention = kServed[i % kServed.size()],
                                                 .zero_times = rng.chance(0.2),
                                                 .many_slots = false,
                                                 .limits = rng.chance(0.2)});
    INFO("problem " << i);
    add(sum, check_walk(problem, Use::kAlways, 30, rng));
  }
  CHECK(sum.full_evaluations * 2 < sum.proposals);
}

TEST_CASE("Moves score as whole placements do where replays come and go", "[incremental]") {
  const Rng seed(24);
  Incremental::Work sum;
  for (std::size_t i = 0; i < scaled(200); ++i) {
    Rng rng = seed.stream("any", i);
    const Problem problem =
        rng.chance(0.5) ? narrow_problem(rng, kServed[i % kServed.size()]) : random_problem(rng);
    INFO("problem " << i);
    add(sum, check_walk(problem, Use::kWherePaying, 100, rng));
  }
  CHECK(sum.full_evaluations * 10 > sum.proposals);
  CHECK(sum.full_evaluations * 10 < 9 * sum.proposals);
}

/// Proposes each op's move to the other of two devices, from all of them on the first.
Incremental::Work check_each_move(const Problem& problem, Order order, Picoseconds step_ps) {
  Simulator simulator(problem, order);
  Incremental incremental(simulator);
  const Placement current = *problem.all_on(DeviceId(0));
  for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
    const std::vector<Move> moves = {{group, DeviceId(1)}};
    const Score score = incremental.propose(current, moved(current, moves), moves);
    const bool at_an_end = group.index() == 0 || group.index() + 1 == problem.groups().size();
    CHECK(score.step_ps == step_ps - (at_an_end ? 1'000'000'000'000 : 0));
  }
  return incremental.work();
}

// An op elsewhere waits for a transfer of 1 s and makes its consumer wait for another. What comes
// after it comes 2 s later, which shows once both are over.
TEST_CASE("A moved op of a chain costs a few steps and delays the rest by two transfers",
          "[incremental]") {
  const Problem problem(chain(1000), alike());
  const Incremental::Work work = check_each_move(problem, Order::kFifo, to_picoseconds(1002));
  CHECK(work.full_evaluations == 0);
  CHECK(work.logs == 1);
  CHECK(work.steps <= 3 * 1000);
}

TEST_CASE("Moves under an order that is not replayed are evaluated in full", "[incremental]") {
  const Problem problem(chain(20), alike());
  CHECK(check_each_move(problem, Order::kPriority, to_picoseconds(22)).full_evaluations == 20);
}

TEST_CASE("An accepted move delays the moves after it", "[incremental]") {
  const Problem problem(chain(1000), alike());
  Simulator simulator(problem, Order::kFifo);
  Incremental incremental(simulator);
  Placement current = *problem.all_on(DeviceId(0));
  for (std::size_t i = 1; i <= 300; ++i) {
    const std::vector<Move> moves = {{GroupId(3 * i), DeviceId(1)}};
    const Placement proposed = moved(current, moves);
    CHECK(incremental.propose(current, proposed, moves).step_ps ==
          to_picoseconds(1000 + 2 * static_cast<double>(i)));
    incremental.accept();
    current = proposed;
  }
  CHECK(incremental.work().logs == 1);
}

TEST_CASE("Replays are given up where every change lasts to the end", "[incremental]") {
  // 16 chains side by side: a device never makes up for what it has more to do.
  std::vector<Op> ops;
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < 800; ++i) {
    ops.push_back(timed_op(fmt::format("op{}", i), static_cast<double>(1 + i * i % 7)));
    if (i >= 16) tensors.push_back(tensor(i - 16, {i}, 1));
  }
  const Problem problem(graph_of(ops, tensors), alike({.devices = 4}));
  Rng rng(25);
  const Incremental::Work work = check_walk(problem, Use::kWherePaying, 2000, rng);
  CHECK(work.full_evaluations > 1900);
  CHECK(work.steps < 2000 * 800 / 40);
}

}  // namespace
}  // namespace placer::testing
