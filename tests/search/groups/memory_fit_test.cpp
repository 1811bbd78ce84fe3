#include "search/groups/memory_fit.hpp"

#include <catch2/catch.hpp>

#include "support/problems.hpp"

namespace placer::testing {
namespace {

TEST_CASE("a share of what comes and goes can count as held, up to a whole memory") {
  Op op = timed_op("a", 1);
  op.params_bytes = 10;
  op.temp_bytes = 40;
  const Problem problem(graph_of({op}, {tensor(0, {}, 20)}), alike({.memory_bytes = 80}));
  const GroupId group(0);
  CHECK(MemoryFit(problem).memory(group, DeviceId(1)).kept_bytes == 10);
  CHECK(MemoryFit(problem).with_passing(problem, 0.5).memory(group, DeviceId(1)).kept_bytes ==
        10 + 60 / 2);
  const Problem small(graph_of({op}, {tensor(0, {}, 20)}), alike({.memory_bytes = 71}));
  CHECK(MemoryFit(small).with_passing(small, 1).memory(group, DeviceId(1)).kept_bytes == 70);
}

}  // namespace
}  // namespace placer::testing
