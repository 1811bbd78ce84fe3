// What lies between two ops that all others come before or after takes its own time.
#include "search/bounds/stretches.hpp"

#include <array>
#include <catch2/catch.hpp>

#include "search/exact/stretch_proofs.hpp"
#include "support/problems.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

/// op0, four ops of 2 s that wait for it, op5 that waits for those, four more and op10; 1 s for
/// each of the three between, and tensors of no bytes.
struct TwoLayers {
  std::vector<Op> ops = seconds_each({1, 2, 2, 2, 2, 1, 2, 2, 2, 2, 1});
  std::vector<Tensor> tensors = {tensor(0, {1, 2, 3, 4}, 0), tensor(5, {6, 7, 8, 9}, 0)};

  TwoLayers() {
    for (std::size_t op = 1; op < 10; ++op) {
      if (op != 5) tensors.push_back(tensor(op, {op < 5 ? std::size_t{5} : std::size_t{10}}, 0));
    }
  }

  Problem on(std::size_t devices) const {
    return Problem(graph_of(ops, tensors), alike({.devices = devices}));
  }
};

Stretches stretches_of(const Problem& problem) {
  const std::array<std::size_t, 1> fewest_groups = {1};
  return Stretches(problem, MemoryFit(problem), fewest_groups);
}

TEST_CASE("each layer of experts takes as long as its work on all devices") {
  const Problem problem = TwoLayers().on(2);
  const Stretches stretches = stretches_of(problem);
  REQUIRE(stretches.list().size() == 2);
  CHECK(stretches.list()[0].first == OpId(0));
  CHECK(stretches.list()[0].last == OpId(5));
  CHECK(stretches.list()[1].last == OpId(10));
  CHECK(stretches.list()[1].least_ps == to_picoseconds(5));  // with op10
  CHECK(stretches.parts().size() == 1);                      // they are alike
  const LowerBounds bounds = lower_bounds(problem);
  CHECK(bounds.path_ps == to_picoseconds(7));
  CHECK(bounds.fork_join_ps == to_picoseconds(11));
}

TEST_CASE("layers that differ in a tensor's size are not alike") {
  TwoLayers layers;
  layers.tensors[1].bytes = 3;
  const Problem problem = layers.on(2);
  const Stretches stretches = stretches_of(problem);
  CHECK(stretches.parts().size() == 2);
  CHECK(stretches.list()[0].least_ps == to_picoseconds(5));
  CHECK(stretches.list()[1].least_ps > to_picoseconds(5));
}

TEST_CASE("an op that neither waits for the middle nor is waited for by it ends the stretches") {
  TwoLayers layers;
  layers.ops.push_back(seconds_each({1}).front());
  layers.ops.back().name = "beside";
  layers.tensors.push_back(tensor(0, {11}, 0));
  layers.tensors.push_back(tensor(11, {10}, 0));
  const Problem problem = layers.on(2);
  CHECK(stretches_of(problem).list().empty());
}

TEST_CASE("what takes no time and waits for nothing does not end a stretch") {
  TwoLayers layers;
  layers.ops.push_back(seconds_each({0}).front());
  layers.ops.back().name = "weights";
  layers.tensors.push_back(tensor(11, {6}, 0));
  const Problem problem = layers.on(2);
  CHECK(stretches_of(problem).list().size() == 2);
}

TEST_CASE("what is raised counts for all stretches that are alike, and never sinks") {
  const Problem problem = TwoLayers().on(2);
  Stretches stretches = stretches_of(problem);
  stretches.raise(0, to_picoseconds(6));
  CHECK(stretches.list()[0].least_ps == to_picoseconds(6));
  CHECK(stretches.list()[1].least_ps == to_picoseconds(6));
  stretches.raise(0, to_picoseconds(3));
  CHECK(stretches.least_ps(0) == to_picoseconds(6));
}

TEST_CASE("branch and bound proves what five experts take that two devices cannot share evenly") {
  std::vector<Op> ops = seconds_each({1, 3, 3, 3, 3, 3, 1, 3, 3, 3, 3, 3, 1});
  std::vector<Tensor> tensors = {tensor(0, {1, 2, 3, 4, 5}, 0), tensor(6, {7, 8, 9, 10, 11}, 0)};
  for (std::size_t op = 1; op < 12; ++op) {
    if (op != 6) tensors.push_back(tensor(op, {op < 6 ? std::size_t{6} : std::size_t{12}}, 0));
  }
  const Problem problem(graph_of(ops, tensors), alike({.devices = 2}));
  search_with(
      problem,
      [](Search& search) {
        Stretches stretches = stretches_of(search.problem());
        REQUIRE(stretches.parts().size() == 1);
        CHECK(lower_bounds(search, stretches).best_ps() == to_picoseconds(19));
        prove_stretches(search, {}, stretches);
        CHECK(stretches.least_ps(0) == to_picoseconds(9 + 1));
        CHECK(lower_bounds(search, stretches).best_ps() == to_picoseconds(21));
      },
      4000);
  CHECK(run_search(problem, request_for("auto", 2000)).proven);
}

/// An op that goes to one device.
Op op_on(const std::string& name, const std::string& device, double seconds) {
  Op op;
  op.name = name;
  op.seconds = {{"gpu", seconds}};
  op.devices = {device};
  return op;
}

TEST_CASE("what comes late from outside of a stretch may let others of it through") {
  // Of a and b, which share a port, b's ten bytes would go first, were it not for z.
  std::vector<Op> ops = {op_on("c1", "gpu:0", 1), op_on("a", "gpu:0", 2), op_on("b", "gpu:2", 1),
                         op_on("d", "gpu:1", 20), op_on("e", "gpu:1", 1), op_on("c2", "gpu:1", 1),
                         op_on("z", "gpu:3", 3)};
  std::vector<Tensor> tensors = {tensor(0, {1, 2}, 0), tensor(1, {3}, 1), tensor(2, {4}, 10),
                                 tensor(3, {5}, 0),    tensor(4, {5}, 0), tensor(6, {2}, 0)};
  for (std::size_t op = 7; op < 12; ++op) {
    ops.push_back(op_on("x" + std::to_string(op), "gpu:0", 3));
    ops.back().devices.push_back("gpu:2");
    tensors.push_back(tensor(op, {12}, 0));
  }
  ops.push_back(op_on("c3", "gpu:0", 1));
  tensors.push_back(tensor(5, {7, 8, 9, 10, 11}, 0));
  for (const Contention contention : {Contention::kPorts, Contention::kHalfDuplex}) {
    const Problem problem(graph_of(ops, tensors), alike({.devices = 4, .contention = contention}));
    SearchRequest request = request_for("auto", 20'000);
    request.order = Order::kGiven;
    const SearchResult found = run_search(problem, request);
    CHECK(found.score.fits());
    CHECK(found.bound_ps.value_or(0) <= found.score.step_ps);
  }
}

TEST_CASE("a device whose name is another's type does not make stretches take it for that") {
  std::vector<Op> ops = TwoLayers().ops;
  for (Op& op : ops) op.seconds = {{"T", op.seconds.front().second}};
  for (Op& op : ops) op.devices = {"T"};
  std::vector<Device> devices = alike({.devices = 2}).devices();
  devices[0].type = "T";
  devices[0].name = "gpu";
  Link link;
  link.from = link.to = "*";
  link.bytes_per_second = 1;
  const Problem problem(graph_of(ops, TwoLayers().tensors), Topology(devices, {link}, {}));
  CHECK(lower_bounds(problem).best_ps() == to_picoseconds(19));
}

}  // namespace
}  // namespace placer::testing
