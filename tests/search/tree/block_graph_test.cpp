#include "search/tree/block_graph.hpp"

#include <catch2/catch.hpp>

#include "support/problems.hpp"

namespace placer::testing {
namespace {

using Block = BlockGraph::Block;

std::vector<Op> in_groups(const std::vector<std::string>& groups) {
  std::vector<Op> ops;
  for (const std::string& group : groups) {
    ops.push_back(timed_op("op" + std::to_string(ops.size()), 1));
    ops.back().group = group;
  }
  return ops;
}

BlockGraph blocks_of(const std::vector<std::string>& groups, std::vector<Tensor> tensors,
                     const Machine& machine = {}) {
  return BlockGraph(Problem(graph_of(in_groups(groups), std::move(tensors)), alike(machine)));
}

TEST_CASE("ops of a group one after the other are one block") {
  const BlockGraph graph =
      blocks_of({"a", "a", "a", "b"}, {tensor(0, {1}, 1), tensor(1, {2}, 1), tensor(2, {3}, 5)});
  REQUIRE(graph.size() == 2);
  CHECK(graph.work_ps(0, DeviceId(0)) == to_picoseconds(3));
  CHECK(graph.work_ps(1, DeviceId(0)) == to_picoseconds(1));
  REQUIRE(graph.outputs(0).size() == 1);
  CHECK(graph.outputs(0)[0] == BlockGraph::Edge{1, TensorId(2)});
  CHECK(graph.inputs(1)[0] == BlockGraph::Edge{0, TensorId(2)});
}

TEST_CASE("branches of a group run one after the other where there is one slot") {
  // op0 -> op1, op2, op3 -> op4
  const std::vector<Tensor> tensors = {tensor(0, {1, 2, 3}, 1), tensor(1, {4}, 1),
                                       tensor(2, {4}, 1), tensor(3, {4}, 1)};
  const std::vector<std::string> groups(5, "a");
  const BlockGraph graph = blocks_of(groups, tensors);
  REQUIRE(graph.size() == 1);
  CHECK(graph.path_ps(0, DeviceId(0)) == to_picoseconds(5));
  const BlockGraph parallel = blocks_of(groups, tensors, {.slots = 2});
  REQUIRE(parallel.size() == 1);
  CHECK(parallel.work_ps(0, DeviceId(0)) == to_picoseconds(5));
  CHECK(parallel.path_ps(0, DeviceId(0)) == to_picoseconds(3));
}

TEST_CASE("an op that sends to another group before its block ends stays apart") {
  // op0 -> op1 -> op2 of a, and op1 -> op3 of b
  const BlockGraph graph =
      blocks_of({"a", "a", "a", "b"}, {tensor(0, {1}, 1), tensor(1, {2, 3}, 1)});
  REQUIRE(graph.size() == 3);
  CHECK(graph.work_ps(0, DeviceId(0)) == to_picoseconds(2));
}

TEST_CASE("branches that wait for different tensors of another group stay apart") {
  // op0 of b -> op1, op2 of a over two tensors -> op3 of a
  const BlockGraph apart = blocks_of({"b", "a", "a", "a"}, {tensor(0, {1}, 1), tensor(0, {2}, 9),
                                                            tensor(1, {3}, 1), tensor(2, {3}, 1)});
  CHECK(apart.size() == 4);
  const BlockGraph together =
      blocks_of({"b", "a", "a", "a"}, {tensor(0, {1, 2}, 1), tensor(1, {3}, 1), tensor(2, {3}, 1)});
  CHECK(together.size() == 2);
}

TEST_CASE("an edge within a group beside a longer way says nothing new") {
  const BlockGraph graph = blocks_of({"a", "a", "a"}, {tensor(0, {1, 2}, 1), tensor(1, {2}, 1)});
  CHECK(graph.size() == 1);
}

TEST_CASE("thousands of branches into one join are one block") {
  constexpr std::size_t kBranches = 4'000;
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < kBranches; ++i) {
    tensors.push_back(tensor(2 * i, {2 * i + 1}, 1));
    tensors.push_back(tensor(2 * i + 1, {2 * kBranches}, 1));
  }
  const BlockGraph graph =
      blocks_of(std::vector<std::string>(2 * kBranches + 1, "a"), std::move(tensors));
  CHECK(graph.size() == 1);
}

TEST_CASE("blocks hold all work, and each comes after what it waits for") {
  Rng rng(3);
  for (int round = 0; round < 200; ++round) {
    const Problem problem = random_problem(rng);
    const BlockGraph graph(problem);
    for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
      std::vector<Picoseconds> work_ps(problem.groups().size(), 0), expected_ps = work_ps;
      for (Block block = 0; block < graph.size(); ++block) {
        work_ps[graph.group(block).index()] += graph.work_ps(block, device);
        for (const BlockGraph::Edge& input : graph.inputs(block)) CHECK(input.other < block);
        for (const BlockGraph::Edge& output : graph.outputs(block)) CHECK(output.other > block);
      }
      for (const OpId op : IdRange<OpId>(problem.op_count())) {
        expected_ps[problem.groups().of(op).index()] += problem.costs().op_ps(op, device);
      }
      CHECK(work_ps == expected_ps);
    }
  }
}

}  // namespace
}  // namespace placer::testing
