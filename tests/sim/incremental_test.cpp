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
/// few distinct times and sizes.
Problem narrow_problem(Rng& rng, Contention contention) {
  const std::size_t count = 20 + rng.below(280), reach = 1 + rng.below(6);
  const std::size_t times = rng.chance(0.2) ? 1000 : 1 + rng.below(4);
  const double apart = rng.chance(0.3) ? 0.2 : 0;  // ops that read nothing
  std::vector<Op> ops;
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < count; ++i) {
    ops.push_back(timed_op(fmt::format("op{}", i), static_cast<double>(1 + rng.below(times))));
    if (rng.chance(0.1)) ops.back().group = fmt::format("g{}", rng.below(20));
    tensors.push_back(tensor(i, {}, static_cast<std::int64_t>(rng.below(4))));
    for (std::size_t left = rng.chance(apart) ? 0 : 1 + rng.below(3); left > 0 && i > 0; --left) {
      tensors[i - 1 - rng.below(std::min(i, reach))].consumers.emplace_back(i);
    }
  }
  return Problem(graph_of(ops, tensors), alike({.devices = 1 + rng.below(5),
                                                .contention = contention,
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
  WARN(sum.proposals << " " << sum.full_evaluations << " " << sum.logs << " " << sum.steps << " "
                     << all_steps);
  CHECK(sum.full_evaluations == 0);
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
  WARN(sum.proposals << " " << sum.full_evaluations << " " << sum.logs << " " << sum.steps);
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
  WARN(sum.proposals << " " << sum.full_evaluations << " " << sum.logs << " " << sum.steps);
  CHECK(sum.full_evaluations * 10 > sum.proposals);
  CHECK(sum.full_evaluations * 10 < 9 * sum.proposals);
}

}  // namespace
}  // namespace placer::testing
