#include <catch2/catch.hpp>

#include "placer/search/optimizer.hpp"
#include "support/problems.hpp"
#include "support/scheduling_data.hpp"

namespace placer::testing {
namespace {

TEST_CASE("CPOP gives the schedule of 86 that its paper prints") {
  const PublishedExample example = published_example();
  const SearchResult result = run_optimizer(example.problem, "cpop");
  REQUIRE(result.schedule_ps);
  CHECK(to_seconds(*result.schedule_ps) == example.cpop_seconds);
}

TEST_CASE("the critical path stays on the device of the least sum though moving would be faster") {
  // On gpu:0 the path takes 1 + 3, on gpu:1 2 + 1, across both 1 + 1.
  const Problem problem(
      graph_of({timed_apart("a", 1, 2), timed_apart("b", 3, 1)}, {tensor(0, {1}, 0)}), alike());
  const SearchResult result = run_optimizer(problem, "cpop");
  CHECK(result.placement == on_devices({1, 1}));
  CHECK(result.schedule_ps == to_picoseconds(3));
}

TEST_CASE("ops beside the critical path go where they finish first") {
  // a -> b (5 s) is the path, on gpu:0; c (2 s, ready at 2 on gpu:1) ends at 4 there.
  const Problem problem(graph_of({timed_op("a", 1), timed_op("b", 5), timed_op("c", 2)},
                                 {tensor(0, {1}, 1), tensor(0, {2}, 1)}),
                        alike());
  const SearchResult result = run_optimizer(problem, "cpop");
  CHECK(result.placement == on_devices({0, 0, 1}));
  CHECK(result.schedule_ps == to_picoseconds(6));
}

TEST_CASE("a path op that may not go to the path's device goes where it may") {
  std::vector<Op> ops{timed_op("a", 1), timed_op("b", 1), timed_op("c", 1)};
  ops[1].devices = {"gpu:1"};
  ops[0].devices = ops[2].devices = {"gpu:0"};
  const Problem problem(graph_of(ops, {tensor(0, {1}, 1), tensor(1, {2}, 1)}), alike());
  const SearchResult result = run_optimizer(problem, "cpop");
  CHECK(result.placement == on_devices({0, 1, 0}));
  CHECK(result.schedule_ps == to_picoseconds(5));
}

TEST_CASE("path ops beyond the device's memory go elsewhere, unless memory is ignored") {
  std::vector<Op> ops{timed_op("a", 1), timed_op("b", 1)};
  for (Op& op : ops) op.params_bytes = 6;
  const Problem problem(graph_of(ops, {tensor(0, {1}, 1)}), alike({.memory_bytes = 10}));
  CHECK(run_optimizer(problem, "cpop").placement == on_devices({0, 1}));
  CHECK(run_optimizer(problem, "cpop", {{"memory", false}}).placement == on_devices({0, 0}));
}

}  // namespace
}  // namespace placer::testing
