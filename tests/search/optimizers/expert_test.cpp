#include <catch2/catch.hpp>

#include "support/problems.hpp"
#include "support/scheduling_data.hpp"

namespace placer::testing {
namespace {

constexpr std::size_t kSteps = 3;

/// A product of one second with the weight of `group`, which its first step holds.
Op product(const std::string& group, std::size_t step) {
  Op op = timed_op(group + "/" + std::to_string(step), 1);
  op.type = "matmul";
  op.group = group;
  op.params_bytes = step == 0 ? 8 : 0;
  return op;
}

///   embedding -> layer 0, three steps -> ... -> last layer -> softmax
Graph recurrent(std::size_t layers) {
  std::vector<Op> ops = {timed_op("embedding", 1)};
  std::vector<Tensor> tensors = {tensor(0, {1, 2, 3}, 1)};
  for (std::size_t layer = 0; layer < layers; ++layer) {
    for (std::size_t step = 0; step < kSteps; ++step) {
      const std::size_t own = ops.size();
      std::vector<std::size_t> readers = {layer + 1 < layers ? own + kSteps : 1 + layers * kSteps};
      if (step + 1 < kSteps) readers.push_back(own + 1);
      tensors.push_back(tensor(own, readers, 1));
      ops.push_back(product("layer" + std::to_string(layer), step));
    }
  }
  ops.push_back(timed_op("softmax", 1));
  return graph_of(std::move(ops), std::move(tensors));
}

Placement placed(const Graph& graph, std::size_t devices) {
  return run_optimizer(Problem(graph, alike({.devices = devices})), "expert").placement;
}

TEST_CASE("two LSTM layers get a device each, with embedding and softmax, and the third is idle") {
  // groups: embedding, layer0, layer1, softmax
  CHECK(placed(recurrent(2), 3) == on_devices({0, 0, 1, 1}));
}

TEST_CASE("of three layers on two devices, the first two share one") {
  CHECK(placed(recurrent(3), 2) == on_devices({0, 0, 0, 1, 1}));
}

TEST_CASE("what a layer hands from step to step stays with its weight, also after the last step") {
  std::vector<Op> ops = {product("first", 0),   timed_op("cell 0", 1), product("first", 1),
                         timed_op("cell 1", 1), product("second", 0),  product("second", 1)};
  const Graph graph =
      graph_of(std::move(ops), {tensor(0, {1}, 1), tensor(1, {2, 4}, 1), tensor(2, {3}, 1),
                                tensor(3, {5}, 1), tensor(4, {5}, 1)});
  // groups: first, cell 0, cell 1, second
  CHECK(placed(graph, 2) == on_devices({0, 0, 0, 1}));
}

TEST_CASE("an op of type LSTM is a layer, in another program's spelling as well") {
  std::vector<Op> ops = seconds_each({9, 1, 1});
  ops[0].type = "EmuBidirLSTM";
  ops[1].type = "lstm";
  const Graph graph = graph_of(std::move(ops), {tensor(0, {1}, 1), tensor(1, {2}, 1)});
  CHECK(placed(graph, 4) == on_devices({0, 1, 1}));
}

TEST_CASE("without layers each device has the ops in a row that make its share of the work") {
  // 12 s; the middles of the ops lie at 0.5, 1.5, 4, 7, 9 and 11 s
  const Graph graph = graph_of(seconds_each({1, 1, 4, 2, 2, 2}),
                               {tensor(0, {1}, 1), tensor(1, {2}, 1), tensor(2, {3}, 1),
                                tensor(3, {4}, 1), tensor(4, {5}, 1)});
  CHECK(placed(graph, 2) == on_devices({0, 0, 0, 1, 1, 1}));
  CHECK(placed(graph, 3) == on_devices({0, 0, 1, 1, 2, 2}));
}

TEST_CASE("a weight that is used twice side by side makes no layer") {
  std::vector<Op> ops = {product("twins", 0), product("twins", 1), timed_op("join", 2)};
  const Graph graph = graph_of(std::move(ops), {tensor(0, {2}, 1), tensor(1, {2}, 1)});
  CHECK(placed(graph, 2) == on_devices({0, 1}));
}

TEST_CASE("a device ten times as slow gets only what may go nowhere else") {
  std::vector<Op> ops;
  for (const char* name : {"a", "b", "c"}) ops.push_back(timed_apart(name, 1, 10));
  ops[1].devices = {"gpu:1"};
  const Problem problem(graph_of(std::move(ops), {tensor(0, {1}, 1), tensor(1, {2}, 1)}), alike());
  CHECK(run_optimizer(problem, "expert").placement == on_devices({0, 1, 0}));
}

TEST_CASE("an op that may not go to its share's device goes to a fast one where it may") {
  std::vector<Op> ops = seconds_each({1, 1, 1, 1});
  ops[3].devices = {"gpu:0"};
  const Problem problem(
      graph_of(std::move(ops), {tensor(0, {1}, 1), tensor(1, {2}, 1), tensor(2, {3}, 1)}), alike());
  CHECK(run_optimizer(problem, "expert").placement == on_devices({0, 0, 1, 0}));
}

}  // namespace
}  // namespace placer::testing
