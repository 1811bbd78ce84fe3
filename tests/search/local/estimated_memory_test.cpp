#include "search/local/estimated_memory.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "search/groups/group_memory.hpp"
#include "search/local/critical_moves.hpp"
#include "support/agreement.hpp"
#include "support/problems.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

double more_overflow(EstimatedMemory& memory, std::vector<Move> moves) {
  memory.ask(moves);
  return memory.more_overflow_bytes();
}

Problem with_parameters(std::int64_t each_bytes, std::int64_t memory_bytes) {
  std::vector<Op> ops = seconds_each({2, 2, 2});
  for (Op& op : ops) op.params_bytes = each_bytes;
  return Problem(graph_of(ops, {}), alike({.memory_bytes = memory_bytes}));
}

TEST_CASE("parameters count where their group goes") {
  const Problem problem = with_parameters(60, 100);
  EstimatedMemory memory(problem, 3);
  memory.stand_at(agreed_schedule(problem, Order::kFifo, on_devices({0, 0, 1})));
  CHECK(more_overflow(memory, {{GroupId(1), DeviceId(1)}}) == Approx(0));
  CHECK(more_overflow(memory, {{GroupId(2), DeviceId(0)}}) == Approx(60));
  CHECK(more_overflow(memory, {{GroupId(1), DeviceId(1)}, {GroupId(2), DeviceId(0)}}) == Approx(0));
  CHECK(memory.placement() == on_devices({0, 0, 1}));
  memory.move();
  CHECK(memory.placement() == on_devices({0, 1, 0}));
}

TEST_CASE("a tensor is held where it is made and where it is read") {
  // 0 makes 40 bytes for 2; 1 has nothing to do with them.
  const Problem problem(graph_of(seconds_each({1, 1, 1}), {tensor(0, {2}, 40)}),
                        alike({.memory_bytes = 30}));
  EstimatedMemory memory(problem, 3);
  memory.stand_at(agreed_schedule(problem, Order::kFifo, on_devices({0, 0, 0})));
  for (std::size_t band = 0; band < 3; ++band) CHECK(memory.bytes()[band * 2] == Approx(40));
  CHECK(more_overflow(memory, {{GroupId(1), DeviceId(1)}}) == Approx(0));
  // The reader's device has a copy for as long; the producer's sends it and is rid of it.
  CHECK(more_overflow(memory, {{GroupId(2), DeviceId(1)}}) == Approx(0));
  CHECK(memory.bytes().changed(0) < 1);
  for (std::size_t at = 1; at < 6; ++at) {
    CHECK(memory.bytes().changed(at) == Approx(at % 2 == 1 ? 40 : 0));
  }
}

TEST_CASE("moves asked about together change what they change one after the other") {
  const Problem problem(graph_of(seconds_each({1, 2, 3, 4}),
                                 {tensor(0, {1, 2}, 10), tensor(1, {3}, 20), tensor(2, {3}, 5)}),
                        alike({.memory_bytes = 30}));
  const Schedule schedule = agreed_schedule(problem, Order::kFifo, on_devices({0, 1, 0, 1}));
  EstimatedMemory together(problem, 4), apart(problem, 4);
  together.stand_at(schedule);
  apart.stand_at(schedule);
  const Placement after = on_devices({1, 0, 0, 0});
  together.follow(after);
  for (const std::size_t group : {0U, 3U, 1U}) {
    const Move move{GroupId(group), after[GroupId(group)]};
    apart.ask({&move, 1});
    apart.move();
  }
  CHECK(together.placement() == after);
  CHECK(apart.placement() == after);
  for (std::size_t at = 0; at < 8; ++at) CHECK(together.bytes()[at] == Approx(apart.bytes()[at]));
}

TEST_CASE("memory is ample where every device could hold all at once") {
  CHECK_FALSE(memory_is_ample(with_parameters(60, 179)));
  CHECK(memory_is_ample(with_parameters(60, 180)));
}

void draw_from_two_on_the_first(Search& search, bool is_asked) {
  const Neighbours neighbours(search.problem());
  CriticalMoves moves(search.problem(), neighbours);
  if (is_asked) moves.estimate_memory();
  const std::optional<Walk> walk = moves.walk_from(search, on_devices({0, 0, 1}), {});
  REQUIRE(walk);
  int refused = 0;
  for (int i = 0; i < 100; ++i) {
    Change change;
    moves.draw(*walk, search.rng(), 2, change);
    Placement to = walk->placement();
    for (const Move& move : change.moves) to[move.group] = move.device;
    const bool is_full = to == on_devices({0, 0, 0}) || to == on_devices({1, 1, 1});
    CHECK(moves.more_overflow_bytes(change) == Approx(is_asked && is_full ? 60 : 0));
    refused += is_full ? 1 : 0;
  }
  CHECK(refused > 0);
}

TEST_CASE("a change that is drawn says what memory it would lack, if it is asked to") {
  const Problem problem = with_parameters(60, 120);
  search_with(
      problem, [](Search& search) { draw_from_two_on_the_first(search, true); }, 1000);
  search_with(
      problem, [](Search& search) { draw_from_two_on_the_first(search, false); }, 1000);
}

}  // namespace
}  // namespace placer::testing
