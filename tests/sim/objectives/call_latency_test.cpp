#include "sim/objectives/call_latency.hpp"

#include <catch2/catch.hpp>

#include "placer/sim/simulator.hpp"
#include "support/problems.hpp"

namespace placer {
namespace {

using testing::on_devices;
using testing::tensor;

/// gpu:0 is a host, gpu:1 and gpu:2 are not.
Problem with_host(Graph graph) {
  const Topology alike = testing::alike({.devices = 3});
  std::vector<Device> devices = alike.devices();
  devices[0].host = true;
  return Problem(std::move(graph), Topology(devices, alike.links()))
      .with_goal({.objective = Objective::kCallLatency});
}

Score score(const Problem& problem, const std::vector<std::size_t>& devices) {
  return Simulator(problem, Order::kFifo).evaluate(on_devices(devices));
}

TEST_CASE("A call waits for all inputs, copies them in, runs its ops and copies results out") {
  // a(1) -2-> c(3), b(5) -4-> c; c -7-> d(1).
  const Problem problem =
      with_host(testing::graph_of(testing::seconds_each({1, 5, 3, 1}),
                                  {tensor(0, {2}, 2), tensor(1, {2}, 4), tensor(2, {3}, 7)}));
  // a and b on the host end at 1 and 5; c: 5 + 2 + 4 + 3 + 7 = 21; d on the host: 22.
  CHECK(score(problem, {0, 0, 1, 0}) == Score{0, to_picoseconds(22)});
  // c and d in calls of their own: d pays for its input, too.
  CHECK(score(problem, {0, 0, 1, 2}) == Score{0, to_picoseconds(29)});
}

TEST_CASE("All results of a call are there at its end, early ones too") {
  // a(1) and b(5) in one call; c(1) reads a alone.
  const Problem problem =
      with_host(testing::graph_of(testing::seconds_each({1, 5, 1}), {tensor(0, {2}, 2)}));
  CHECK(score(problem, {1, 1, 0}) == Score{0, to_picoseconds(9)});
}

TEST_CASE("A host runs any number of ops at once") {
  const Problem problem = with_host(testing::graph_of(testing::seconds_each({3, 3, 2}), {}));
  CHECK(score(problem, {0, 0, 0}) == Score{0, to_picoseconds(3)});
  CHECK(score(problem, {1, 1, 1}) == Score{0, to_picoseconds(8)});
}

TEST_CASE("Calls that wait for each other never start: their ops are astray") {
  // a -> b -> c with b elsewhere; d after c.
  const Problem problem = with_host(testing::chain(4));
  const Score circular = score(problem, {1, 2, 1, 0});
  CHECK(circular.astray_ops == 4);
  CHECK_FALSE(circular.fits());
}

TEST_CASE("What is critical is a longest chain of calls and ops on hosts, or what never starts") {
  // a(1) and b(5) on the host, c(3) reads both on gpu:1, d(1) reads c on gpu:2, e(2) reads a.
  const Problem problem =
      with_host(testing::graph_of(testing::seconds_each({1, 5, 3, 1, 2}),
                                  {tensor(0, {2, 4}, 2), tensor(1, {2}, 4), tensor(2, {3}, 7)}));
  const auto critical = [&](const std::vector<std::size_t>& devices) {
    DeviceLoads loads(problem);
    loads.place(on_devices(devices));
    CallLatency calls(problem);
    calls.score(loads);
    std::vector<OpId> ops;
    calls.add_critical(ops);
    return ops;
  };
  CHECK(critical({0, 0, 1, 2, 0}) == std::vector{OpId(3), OpId(2), OpId(1)});
  // c and d are one call, in the order of their ids.
  CHECK(critical({0, 0, 1, 1, 0}) == std::vector{OpId(2), OpId(3), OpId(1)});
  // a and d wait for c, and c for a.
  CHECK(critical({1, 0, 2, 1, 0}) == std::vector{OpId(4), OpId(0), OpId(3), OpId(2)});
}

}  // namespace
}  // namespace placer
