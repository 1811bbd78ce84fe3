#include "search/local/partitioning.hpp"

#include <catch2/catch.hpp>

#include "search/lists/greedy_placement.hpp"
#include "support/problems.hpp"
#include "support/scheduling_data.hpp"
#include "support/searches.hpp"
#include "support/skipped.hpp"

namespace placer::testing {
namespace {

using Weights = std::vector<std::int32_t>;

std::vector<DeviceId> devices(const std::vector<std::size_t>& indices) {
  return on_devices(indices).devices;
}

TEST_CASE(
    "a partitioner's graph weighs groups by work and edges by transfers, of 10 million in all") {
  // a(1) -1-> b(3) -3-> c(0); a -control-> c
  const Problem problem(graph_of({timed_op("a", 1), timed_op("b", 3), timed_op("c", 0)},
                                 {tensor(0, {1}, 1), tensor(1, {2}, 3), tensor(0, {2}, 0)}),
                        alike());
  const PartitionGraph graph = partition_graph(problem);
  CHECK(graph.vertex_weights == Weights{2'500'001, 7'500'001, 1});
  CHECK(graph.offsets == Weights{0, 1, 3, 4});
  CHECK(graph.neighbours == Weights{1, 0, 2, 1});
  CHECK(graph.edge_weights == Weights{2'500'001, 2'500'001, 7'500'001, 7'500'001});
}

TEST_CASE("a device that is three times as fast is to get three quarters of the work") {
  const Problem problem(graph_of({timed_apart("a", 3, 1)}, {}), alike());
  const std::vector<Part> parts = wanted_parts(problem);
  REQUIRE(parts.size() == 2);
  CHECK(parts[0].work_share == Approx(0.25));
  CHECK(parts[1].work_share == Approx(0.75));
}

TEST_CASE("a device on which no op may run is no part, and slots count as speed") {
  Op op = timed_op("a", 1);
  op.devices = {"gpu:0", "gpu:2"};
  const Topology machine = alike({.devices = 3});
  std::vector<Device> with_slots = machine.devices();
  with_slots[2].slots = 4;
  const std::vector<Part> parts =
      wanted_parts(Problem(graph_of({op}, {}), Topology(with_slots, machine.links())));
  REQUIRE(parts.size() == 2);
  CHECK(parts[1].device == DeviceId(2));
  CHECK(parts[0].work_share == Approx(0.2));
  CHECK(parts[1].work_share == Approx(0.8));
}

//   a -9-> b and c -9-> d, each in a part of its own; gpu:0 - gpu:2 and gpu:1 - gpu:3 are fast.
TEST_CASE("parts with much traffic change places for a fast link") {
  std::vector<Link> links{{"*", "*", 1, 0, {}}};
  for (const auto& [from, to] : {std::pair("gpu:0", "gpu:2"), std::pair("gpu:1", "gpu:3")}) {
    links.push_back({from, to, 9, 0, {}});
    links.push_back({to, from, 9, 0, {}});
  }
  const Topology machine(alike({.devices = 4}).devices(), links);
  const Problem problem(
      graph_of({timed_op("a", 1), timed_op("b", 1), timed_op("c", 1), timed_op("d", 1)},
               {tensor(0, {1}, 9), tensor(2, {3}, 9)}),
      machine);
  const auto placed = place_parts(problem, wanted_parts(problem), {0, 1, 2, 3});
  CHECK(placed[0].index() % 2 == placed[1].index() % 2);
  CHECK(placed[2].index() % 2 == placed[3].index() % 2);
}

TEST_CASE("parts with much traffic between them stay where changing places loses for another") {
  // a -9-> b -8-> c along gpu:0 - gpu:1 - gpu:2, twice as fast as from gpu:0 to gpu:2.
  std::vector<Link> links{{"*", "*", 1, 0, {}}};
  for (const auto& [from, to] : {std::pair("gpu:0", "gpu:1"), std::pair("gpu:1", "gpu:2")}) {
    links.push_back({from, to, 2, 0, {}});
    links.push_back({to, from, 2, 0, {}});
  }
  const Problem problem(graph_of(seconds_each({1, 1, 1}), {tensor(0, {1}, 9), tensor(1, {2}, 8)}),
                        Topology(alike({.devices = 3}).devices(), links));
  CHECK(place_parts(problem, wanted_parts(problem), {0, 1, 2}) == devices({0, 1, 2}));
}

TEST_CASE("repair leaves what fits and moves the rest where it costs least") {
  // chain a -> b -> c -> d, wanted on gpu:0, where three have room; d may only go to gpu:0.
  std::vector<Op> ops{timed_op("a", 1), timed_op("b", 1), timed_op("c", 1), timed_op("d", 1)};
  ops[3].devices = {"gpu:0"};
  const Problem problem(graph_of(ops, {tensor(0, {1}, 1), tensor(1, {2}, 1), tensor(2, {3}, 1)}),
                        alike({.devices = 3, .memory_bytes = 30}));
  CHECK(repaired(problem, devices({0, 0, 0, 0}), {10, 10, 10, 10}) == on_devices({0, 0, 1, 0}));
  CHECK(repaired(problem, devices({2, 2, 2, 2}), {10, 10, 10, 10}) == on_devices({2, 2, 2, 0}));
}

TEST_CASE("what does not fit where it is wanted goes to the op that it reads from") {
  // z fills gpu:0, where b is wanted too; a, from which b reads 5 bytes, is on gpu:1.
  const Problem problem(
      graph_of({timed_op("z", 1), timed_op("a", 1), timed_op("b", 1)}, {tensor(1, {2}, 5)}),
      alike({.devices = 3, .memory_bytes = 10}));
  CHECK(repaired(problem, devices({0, 1, 0}), {10, 0, 10}) == on_devices({0, 1, 1}));
}

//   Two cliques of 6 ops that exchange 9 bytes within and 1 byte across: 0 to 5 and 6 to 11, in an
//   order of ids that mixes them.
Problem two_clusters(const Machine& machine) {
  std::vector<Op> ops;
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < 12; ++i) ops.push_back(timed_op("op" + std::to_string(i), 1));
  for (std::size_t i = 0; i < 12; ++i) {
    for (std::size_t j = i + 2; j < 12; j += 2) tensors.push_back(tensor(i, {j}, 9));
  }
  tensors.push_back(tensor(4, {5}, 1));
  return Problem(graph_of(std::move(ops), std::move(tensors)), alike(machine));
}

bool is_available(const std::string& name) {
  if (find_optimizer(name).info.unavailable.empty()) return true;
  skip(find_optimizer(name).info.unavailable);
  CHECK_THROWS_WITH(run_optimizer(two_clusters({}), name),
                    Catch::Contains("algorithm " + name + ": this build is without "));
  return false;
}

TEST_CASE("metis and scotch find two clusters that exchange one byte") {
  for (const std::string name : {"metis", "scotch"}) {
    if (!is_available(name)) continue;
    INFO(name);
    const Placement placement = run_optimizer(two_clusters({}), name).placement;
    const DeviceId even = placement[GroupId(0)], odd = placement[GroupId(1)];
    CHECK(even != odd);
    for (std::size_t i = 0; i < 12; ++i) CHECK(placement[GroupId(i)] == (i % 2 == 0 ? even : odd));
  }
}

TEST_CASE("metis and scotch cut 36 edges of one byte rather than few of a hundred") {
  // Even ops and odd ones are chains of 100 bytes from each to the next; 1 byte for each pair of an
  // even and an odd op.
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < 12; ++i) {
    if (i + 2 < 12) tensors.push_back(tensor(i, {i + 2}, 100));
    for (std::size_t j = i + 1; j < 12; j += 2) tensors.push_back(tensor(i, {j}, 1));
  }
  const Problem problem(graph_of(seconds_each(std::vector<double>(12, 1)), tensors), alike());
  for (const std::string name : {"metis", "scotch"}) {
    if (!is_available(name)) continue;
    INFO(name);
    const Placement placement = run_optimizer(problem, name).placement;
    CHECK(placement[GroupId(0)] != placement[GroupId(1)]);
    for (std::size_t i = 2; i < 12; ++i) CHECK(placement[GroupId(i)] == placement[GroupId(i - 2)]);
  }
}

TEST_CASE("metis and scotch share work by speed, whatever the number of devices") {
  std::vector<Op> ops;
  for (int i = 0; i < 400; ++i) {
    ops.push_back(timed_op("op" + std::to_string(i), 1));
    ops.back().seconds = {{"gpu:0", 3}, {"gpu:1", 1}, {"gpu:2", 1}, {"gpu:3", 1}, {"gpu:4", 1}};
  }
  const Problem problem(graph_of(ops, {}), alike({.devices = 5}));
  for (const std::string name : {"metis", "scotch"}) {
    if (!is_available(name)) continue;
    INFO(name);
    std::vector<int> count(5, 0);
    for (const DeviceId device : run_optimizer(problem, name).placement.devices) {
      ++count[device.index()];
    }
    CHECK(count[0] == Approx(400.0 / 13).margin(8));  // shares 1 : 3 : 3 : 3 : 3
    for (std::size_t d = 1; d < 5; ++d) CHECK(count[d] == Approx(1200.0 / 13).margin(12));
  }
}

TEST_CASE("metis and scotch keep to memory where a fit exists") {
  std::vector<Op> ops;
  for (int i = 0; i < 12; ++i) {
    ops.push_back(timed_op("op" + std::to_string(i), i == 0 ? 100 : 1));
    ops.back().params_bytes = 10;
  }
  const Problem problem(graph_of(ops, {}), alike({.devices = 3, .memory_bytes = 45}));
  for (const std::string name : {"metis", "scotch"}) {
    if (!is_available(name)) continue;
    INFO(name);
    CHECK(run_optimizer(problem, name).score.fits());
  }
}

TEST_CASE("an overflow by activations makes a partitioner repair once more for all tensors") {
  // Kept by nothing, yet all of a's outputs wait for z at once: 4 x 10 bytes beside 30 of memory.
  std::vector<Op> ops{timed_op("a", 1), timed_op("b", 1), timed_op("c", 1), timed_op("d", 1)};
  const Problem problem(
      graph_of(ops, {tensor(0, {}, 20), tensor(1, {}, 20), tensor(2, {}, 20), tensor(3, {}, 20)}),
      alike({.memory_bytes = 45, .slots = 4}));
  SearchRequest request = request_for("random", 10);
  static const std::vector<std::int32_t> kOneSided = {0, 0, 0, 0};
  Optimizer partition = *request.optimizer;
  partition.run = [](const OptionValues&, Search& search) {
    evaluate_partition(search, wanted_parts(search.problem()), kOneSided);
  };
  request.optimizer = &partition;
  const SearchResult result = run_search(problem, request);
  CHECK(result.evaluations == 2);
  CHECK(result.score.fits());
  CHECK(result.placement == on_devices({0, 0, 1, 1}));
}

}  // namespace
}  // namespace placer::testing
