#include <catch2/catch.hpp>

#include "placer/search/bounds.hpp"
#include "support/exhaustive.hpp"
#include "support/problems.hpp"
#include "support/scheduling_data.hpp"

namespace placer::testing {
namespace {

/// Ops of `fast_s` on gpu:0 and `slow_s` on gpu:1 that hold 10 bytes each.
std::vector<Op> layers(std::size_t count, double fast_s, double slow_s) {
  std::vector<Op> ops;
  for (std::size_t i = 0; i < count; ++i) {
    ops.push_back(timed_apart("layer" + std::to_string(i), fast_s, slow_s));
    ops.back().params_bytes = 10;
  }
  return ops;
}

TEST_CASE("a chain waits for the layers that memory sends to a slow device") {
  // gpu:0 has room for two of four layers in a row: 2 x 1 s and 2 x 5 s.
  const Problem problem(
      graph_of(layers(4, 1, 5), {tensor(0, {1}, 0), tensor(1, {2}, 0), tensor(2, {3}, 0)}),
      alike({.memory_bytes = 20}));
  const LowerBounds bounds = lower_bounds(problem);
  CHECK(bounds.fork_join_ps == to_picoseconds(4));
  CHECK(bounds.load_ps == to_picoseconds(10));
  CHECK(bounds.cut_ps == to_picoseconds(12));
  CHECK(bounds.short_step_ps == to_picoseconds(12));
  CHECK(exhaustive_best(problem).score.step_ps == to_picoseconds(12));
}

TEST_CASE("either of two branches may be the slow one, but both count") {
  // Between a first and a last op, two branches of a layer each; gpu:0 has room for three of the
  // four ops. Any path has two or three of them, one of 5 s where it leads through the slow branch.
  const Problem problem(
      graph_of(layers(4, 1, 5), {tensor(0, {1, 2}, 0), tensor(1, {3}, 0), tensor(2, {3}, 0)}),
      alike({.memory_bytes = 30}));
  const double bound = to_seconds(lower_bounds(problem).short_step_ps);
  CHECK(bound >= 5);  // both branches half on gpu:1: 1 + 3 + 1
  CHECK(bound <= to_seconds(exhaustive_best(problem).score.step_ps));
}

TEST_CASE("a group is on no device where its own work alone takes longer than the step") {
  // Work of 12 s on gpu:0 is shared out in 8 4/7 s if parts of it could be on gpu:1. There, a whole
  // op takes 10 s: in any shorter step all are on gpu:0.
  const Problem problem(graph_of(layers(3, 4, 10), {}), alike());
  const LowerBounds bounds = lower_bounds(problem);
  CHECK(bounds.load_ps == to_picoseconds(10));  // the next multiple of 2 s
  const Problem uneven(graph_of(layers(3, 4, 11), {}), alike());
  CHECK(lower_bounds(uneven).interval_ps < to_picoseconds(11));
  CHECK(lower_bounds(uneven).short_step_ps == to_picoseconds(11));
  CHECK(exhaustive_best(uneven).score.step_ps == to_picoseconds(11));
}

TEST_CASE("what comes before and after an op leaves it less time on a slow device") {
  // 'middle' takes 3 s on gpu:0 or 6 s on gpu:1, between ops of 2 s that are on gpu:0, as is 'long'
  // with 5 s. With 'middle' on gpu:1 the step takes 10 s, with it on gpu:0 all 12 s are there.
  const Problem problem(
      graph_of({on(timed_op("first", 2), {"gpu:0"}), timed_apart("middle", 3, 6),
                on(timed_op("last", 2), {"gpu:0"}), on(timed_op("long", 5), {"gpu:0"})},
               {tensor(0, {1}, 0), tensor(1, {2}, 0)}),
      alike());
  CHECK(lower_bounds(problem).short_step_ps == to_picoseconds(10));
  CHECK(exhaustive_best(problem).score.step_ps == to_picoseconds(10));
}

TEST_CASE("equal devices that ops name one by one share the work") {
  const Problem problem(graph_of({timed_apart("a", 2, 2), timed_apart("b", 2, 2)}, {}), alike());
  CHECK(lower_bounds(problem).short_step_ps == to_picoseconds(2));
}

}  // namespace
}  // namespace placer::testing
