#include "search/groups/memory_fit.hpp"

#include <catch2/catch.hpp>

#include "support/problems.hpp"

namespace placer::testing {
namespace {

std::vector<DeviceId> devices_of(const MemoryFit& fit, GroupId group) {
  return {fit.devices(group).begin(), fit.devices(group).end()};
}

TEST_CASE("a group is fixed to one device until it is freed, and one without a choice never is") {
  const GroupId held(0), loose(1);
  const Problem problem(graph_of({on(timed_op("a", 1), {"gpu:0"}), timed_op("b", 1)}, {}), alike());
  MemoryFit fit(problem);
  fit.fix(held, DeviceId(0));
  CHECK_FALSE(fit.is_fixed());
  fit.fix(loose, DeviceId(1));
  CHECK(fit.is_fixed());
  CHECK(devices_of(fit, loose) == std::vector{DeviceId(1)});
  CHECK_FALSE(fit.may_go(loose, DeviceId(0)));
  fit.fix(loose, DeviceId(0));  // without being freed before
  CHECK(devices_of(fit, loose) == std::vector{DeviceId(0)});
  fit.free(loose);
  CHECK_FALSE(fit.is_fixed());
  CHECK(devices_of(fit, loose) == std::vector{DeviceId(0), DeviceId(1)});
  CHECK(fit.may_go(loose, DeviceId(0)));
}

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
