#include "placer/model/problem.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "placer/base/errors.hpp"
#include "support/problems.hpp"

namespace placer::testing {
namespace {

using Catch::Message;

Op grouped(Op op, std::string group, std::vector<std::string> devices = {}) {
  op.group = std::move(group);
  op.devices = std::move(devices);
  return op;
}

std::vector<DeviceId> allowed(const Problem& problem, std::size_t group) {
  const auto devices = problem.groups().allowed(GroupId(group));
  return {devices.begin(), devices.end()};
}

TEST_CASE("Groups are numbered by their first op, and ops without one are alone", "[model]") {
  const Problem problem(graph_of({timed_op("a", 1), grouped(timed_op("b", 2), "x"),
                                  timed_op("c", 4), grouped(timed_op("d", 8), "x")},
                                 {}),
                        alike());
  CHECK(problem.groups().size() == 3);
  CHECK(problem.groups().of(OpId(2)) == GroupId(2));
  const auto ops = problem.groups().ops(GroupId(1));
  CHECK((std::vector<OpId>(ops.begin(), ops.end()) == std::vector<OpId>{OpId(1), OpId(3)}));
  CHECK(to_seconds(problem.group_ps(GroupId(1), DeviceId(0))) == 10);
}

TEST_CASE("An op's fastest time is over the devices where its group may go", "[model]") {
  // b alone would go to gpu:1 and take 1 s; a keeps it from there.
  Op a = timed_op("a", 1), b = timed_op("b", 1);
  b.seconds = {{"gpu:0", 4}, {"gpu:1", 1}, {"gpu:2", 3}};
  const Graph apart = graph_of({a, b}, {});
  const Graph together = graph_of({grouped(a, "x", {"gpu:0", "gpu:2"}), grouped(b, "x")}, {});
  const Topology machine = alike({.devices = 3});
  CHECK(Problem(apart, machine).fastest_ps(OpId(1)) == to_picoseconds(1));
  CHECK(Problem(together, machine).fastest_ps(OpId(1)) == to_picoseconds(3));
}

TEST_CASE("A group may go where all of its ops may", "[model]") {
  const Problem problem(
      graph_of({grouped(timed_op("a", 1), "x", {"gpu:0", "gpu:1"}),
                grouped(timed_op("b", 1), "x", {"gpu:1", "gpu:2"}), timed_op("c", 1)},
               {}),
      alike({.devices = 3}));
  CHECK((allowed(problem, 0) == std::vector<DeviceId>{DeviceId(1)}));
  CHECK(allowed(problem, 1).size() == 3);
  CHECK(problem.groups().is_allowed(GroupId(0), DeviceId(1)));
  CHECK_FALSE(problem.groups().is_allowed(GroupId(0), DeviceId(2)));
  CHECK_FALSE(problem.all_on(DeviceId(0)).has_value());
  CHECK((problem.all_on(DeviceId(1)) == on_devices({1, 1})));
}

TEST_CASE("A group that may go nowhere, or an op only to unknown devices, is refused", "[model]") {
  CHECK_THROWS_MATCHES(
      Problem(graph_of({grouped(timed_op("a", 1), "x", {"gpu:0"}),
                        grouped(timed_op("b", 1), "x", {"gpu:1"})},
                       {}),
              alike()),
      Error,
      Message("ops: expected a device that all 2 ops of group 'x' may use, found none (first op "
              "'a')"));
  CHECK_THROWS_MATCHES(
      Problem(graph_of({grouped(timed_op("a", 1), "", {"tpu"})}, {}), alike()), Error,
      Message("ops[0].devices: expected a name or type of the device spec, found tpu"));
}

/// gpu:0 -> gpu:1 only.
Topology one_way() {
  const std::vector<Device> devices = alike().devices();
  Link link;
  link.from = "gpu:0";
  link.to = "gpu:1";
  link.bytes_per_second = 1;
  return Topology(devices, {link});
}

TEST_CASE("A link that some tensor could need and that is missing is refused", "[model]") {
  CHECK_THROWS_MATCHES(
      Problem(chain(2), one_way()), Error,
      Message("links: expected a link from 'gpu:1' to 'gpu:0', which the output of op 'op0' may "
              "have to cross, found none"));
}

TEST_CASE("A link that no tensor can need may be missing", "[model]") {
  CHECK_NOTHROW(Problem(chain(2, 0), one_way()));  // control dependencies need none
  CHECK_NOTHROW(Problem(chain(1), one_way()));
  CHECK_NOTHROW(Problem(graph_of({grouped(timed_op("a", 1), "x"), grouped(timed_op("b", 1), "x")},
                                 {tensor(0, {1}, 1)}),
                        one_way()));
  CHECK_NOTHROW(Problem(
      graph_of({grouped(timed_op("a", 1), "", {"gpu:0"}), timed_op("b", 1)}, {tensor(0, {1}, 1)}),
      one_way()));
}

TEST_CASE("Devices are identical only if all ops see no difference", "[model]") {
  CHECK(Problem(chain(2), alike()).first_identical(DeviceId(1)) == DeviceId(0));
  Op preferring = timed_op("a", 1);
  preferring.seconds.emplace_back("gpu:1", 2);
  CHECK(Problem(graph_of({preferring}, {}), alike()).first_identical(DeviceId(1)) == DeviceId(1));
  const Problem barred(graph_of({grouped(timed_op("a", 1), "", {"gpu:1"})}, {}),
                       alike({.devices = 3}));
  CHECK(barred.first_identical(DeviceId(1)) == DeviceId(1));
  CHECK(barred.first_identical(DeviceId(2)) == DeviceId(0));
}

TEST_CASE("Regrouping keeps the graph and merges what may move", "[model]") {
  const Problem problem(
      graph_of({grouped(timed_op("a", 1), "", {"gpu:0", "gpu:1"}), timed_op("b", 2)}, {}),
      alike({.devices = 3}));
  const Problem merged = problem.with_groups({GroupId(0), GroupId(0)});
  CHECK(merged.groups().size() == 1);
  CHECK(allowed(merged, 0).size() == 2);
  CHECK(&merged.graph() == &problem.graph());
  CHECK(problem.groups().size() == 2);
}

}  // namespace
}  // namespace placer::testing
