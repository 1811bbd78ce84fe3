#include <algorithm>
#include <catch2/catch.hpp>

#include "placer/search/optimizer.hpp"
#include "support/problems.hpp"
#include "support/scheduling_data.hpp"

namespace placer::testing {
namespace {

Problem many_ops(std::int64_t first_bytes, std::int64_t second_bytes) {
  std::vector<Op> ops;
  for (int i = 0; i < 4000; ++i) ops.push_back(timed_op("op" + std::to_string(i), 1));
  const Topology machine = alike();
  std::vector<Device> devices = machine.devices();
  devices[0].memory_bytes = first_bytes;
  devices[1].memory_bytes = second_bytes;
  return Problem(graph_of(std::move(ops), {}), Topology(devices, machine.links()));
}

double share_on_first(const SearchResult& result) {
  const auto count = std::ranges::count(result.placement.devices, DeviceId(0));
  return static_cast<double>(count) / static_cast<double>(result.placement.devices.size());
}

TEST_CASE("three quarters of the memory get three quarters of the ops") {
  CHECK(share_on_first(run_optimizer(many_ops(300, 100), "hash")) == Approx(0.75).margin(0.03));
}

TEST_CASE("a device without memory gets no op, and without any memory all devices get as many") {
  CHECK(share_on_first(run_optimizer(many_ops(0, 100), "hash")) == 0);
  CHECK(share_on_first(run_optimizer(many_ops(0, 0), "hash")) == Approx(0.5).margin(0.03));
}

TEST_CASE("an op's device depends on its name and the seed alone") {
  const auto place = [](const Graph& graph, std::uint64_t seed) {
    SearchRequest request;
    request.optimizer = &find_optimizer("hash");
    request.seed = seed;
    return run_search(Problem(graph, alike({.devices = 4})), request).placement.devices;
  };
  std::vector<Op> ops;
  for (int i = 0; i < 50; ++i) ops.push_back(timed_op("op" + std::to_string(i), 1));
  const std::vector<DeviceId> devices = place(graph_of(ops, {}), 1);
  CHECK(place(graph_of(ops, {}), 2) != devices);
  std::ranges::reverse(ops);
  std::vector<DeviceId> reversed = place(graph_of(ops, {tensor(0, {1}, 1)}), 1);
  std::ranges::reverse(reversed);
  CHECK(reversed == devices);
}

TEST_CASE("an op that may go to one device goes there") {
  std::vector<Op> ops{timed_op("a", 1), timed_op("b", 1), timed_op("c", 1)};
  for (Op& op : ops) op.devices = {"gpu:1"};
  const Problem problem(graph_of(ops, {}), alike({.devices = 3}));
  CHECK(run_optimizer(problem, "hash").placement == on_devices({1, 1, 1}));
}

}  // namespace
}  // namespace placer::testing
