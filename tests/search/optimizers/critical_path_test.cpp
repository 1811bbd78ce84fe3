#include <catch2/catch.hpp>

#include "placer/search/optimizer.hpp"
#include "support/problems.hpp"
#include "support/scheduling_data.hpp"

namespace placer::testing {
namespace {

Op on_slow_and_fast(std::string name, double slow_seconds, std::int64_t params_bytes) {
  Op op = timed_apart(std::move(name), slow_seconds, slow_seconds / 2);
  op.params_bytes = params_bytes;
  return op;
}

TEST_CASE("the longest path takes the fast device's memory and the next path gets the slow one") {
  // short: s; long: a -> b. Room for two on each device.
  const Problem problem(graph_of({on_slow_and_fast("s", 3, 5), on_slow_and_fast("a", 2, 5),
                                  on_slow_and_fast("b", 2, 5)},
                                 {tensor(1, {2}, 1)}),
                        alike({.memory_bytes = 11}));
  CHECK(run_optimizer(problem, "critical-path").placement == on_devices({0, 1, 1}));
}

TEST_CASE("with room for all the fastest device takes all") {
  const Problem problem(graph_of({on_slow_and_fast("s", 3, 5), on_slow_and_fast("a", 2, 5),
                                  on_slow_and_fast("b", 2, 5)},
                                 {tensor(1, {2}, 1)}),
                        alike({.memory_bytes = 15}));
  CHECK(run_optimizer(problem, "critical-path").placement == on_devices({1, 1, 1}));
}

TEST_CASE("between alike devices paths go to the one with less work") {
  // a -> d, 3 s of work, on gpu:0; then c, 2.5 s, and b on gpu:1.
  const Problem problem(
      graph_of({timed_op("a", 2), timed_op("b", 2), timed_op("c", 2.5), timed_op("d", 1)},
               {tensor(0, {3}, 1)}),
      alike());
  CHECK(run_optimizer(problem, "critical-path").placement == on_devices({0, 1, 1, 0}));
}

TEST_CASE("what is left of a graph without its longest path has new longest paths") {
  // a -> b -> c, a -> x, y -> c. Mean path lengths with 1-second transfers: a b c 9; then y 2, x 1.
  const Problem problem(
      graph_of({timed_op("a", 1), timed_op("b", 5), timed_op("c", 1), timed_op("x", 1),
                timed_op("y", 2)},
               {tensor(0, {1}, 1), tensor(1, {2}, 1), tensor(0, {3}, 1), tensor(4, {2}, 1)}),
      alike({.devices = 3}));
  CHECK(run_optimizer(problem, "critical-path").placement == on_devices({0, 0, 0, 2, 1}));
}

TEST_CASE("a path that fits nowhere whole is cut by memory") {
  std::vector<Op> ops{timed_op("a", 1), timed_op("b", 1), timed_op("c", 1)};
  for (Op& op : ops) op.params_bytes = 5;
  const Problem problem(graph_of(ops, {tensor(0, {1}, 1), tensor(1, {2}, 1)}),
                        alike({.memory_bytes = 11}));
  const SearchResult result = run_optimizer(problem, "critical-path");
  CHECK(result.placement == on_devices({0, 1, 0}));
  CHECK(result.score.fits());
}

TEST_CASE("where nothing fits every group still gets a device") {
  std::vector<Op> ops{timed_op("a", 1), timed_op("b", 1)};
  for (Op& op : ops) op.params_bytes = 50;
  const Problem problem(graph_of(ops, {}), alike({.memory_bytes = 10}));
  const SearchResult result = run_optimizer(problem, "critical-path");
  CHECK(result.placement == on_devices({0, 1}));
  CHECK(result.score.overflow_bytes == 80);
}

TEST_CASE("two ops of a group on one path take their group's memory once") {
  // 'a' and 'b' keep 10 bytes together, as does 'c'; gpu:1, the fast one, has room for both.
  std::vector<Op> ops{on_slow_and_fast("a", 2, 5), on_slow_and_fast("b", 2, 5),
                      on_slow_and_fast("c", 2, 10)};
  ops[0].group = ops[1].group = "g";
  const Problem problem(graph_of(ops, {tensor(0, {1}, 1), tensor(1, {2}, 1)}),
                        alike({.memory_bytes = 21}));
  CHECK(run_optimizer(problem, "critical-path").placement == on_devices({1, 1}));
}

}  // namespace
}  // namespace placer::testing
