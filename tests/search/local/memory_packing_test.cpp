#include "search/local/memory_packing.hpp"

#include <catch2/catch.hpp>

#include "support/problems.hpp"
#include "support/scheduling_data.hpp"

namespace placer::testing {
namespace {

Op holding(Op op, std::int64_t bytes) {
  op.params_bytes = bytes;
  return op;
}

std::vector<Placement> packings_of(const Problem& problem) {
  const MemoryFit fit(problem);
  return memory_packings(problem, fit, best_prices(problem, fit, true));
}

TEST_CASE("what loses least time for its bytes leaves the fast device") {
  // gpu:0 has room for 25 of 40 bytes. 'cheap' loses 1 s on gpu:1, each of the others 8 s.
  const Problem problem(
      graph_of({holding(timed_apart("cheap", 1, 2), 20), holding(timed_apart("b", 1, 9), 10),
                holding(timed_apart("c", 1, 9), 10)},
               {tensor(0, {1}, 0), tensor(1, {2}, 0)}),
      alike({.memory_bytes = 25}));
  const std::vector<Placement> packings = packings_of(problem);
  REQUIRE(!packings.empty());
  CHECK(packings.front() == Placement{{DeviceId(1), DeviceId(0), DeviceId(0)}});
}

TEST_CASE("where every device holds everything there is nothing to pack") {
  const Problem problem(graph_of({holding(timed_apart("a", 1, 2), 20)}, {}),
                        alike({.memory_bytes = 25}));
  CHECK(packings_of(problem).empty());
}

TEST_CASE("devices of a kind are filled one after the other in program order") {
  // A chain of four ops of 10 bytes; each of two alike devices holds two.
  std::vector<Op> ops = seconds_each({1, 1, 1, 1});
  for (Op& op : ops) op.params_bytes = 10;
  const Problem problem(graph_of(ops, {tensor(0, {1}, 0), tensor(1, {2}, 0), tensor(2, {3}, 0)}),
                        alike({.memory_bytes = 20}));
  const std::vector<Placement> packings = packings_of(problem);
  REQUIRE(!packings.empty());
  CHECK(packings.front() == Placement{{DeviceId(0), DeviceId(0), DeviceId(1), DeviceId(1)}});
}

}  // namespace
}  // namespace placer::testing
