// Transfers that memory forces.
#include "search/bounds/memory_cut.hpp"

#include <catch2/catch.hpp>

#include "placer/search/bounds.hpp"
#include "support/problems.hpp"

namespace placer::testing {
namespace {

TEST_CASE("a chain that no device holds pays for its cheapest transfer") {
  std::vector<Op> ops = seconds_each({1, 1, 1});
  for (Op& op : ops) op.params_bytes = 10;
  const Problem problem(graph_of(ops, {tensor(0, {1}, 7), tensor(1, {2}, 4)}),
                        alike({.memory_bytes = 35}));
  const LowerBounds bounds = lower_bounds(problem);
  CHECK(bounds.fork_join_ps == to_picoseconds(3));
  CHECK(bounds.cut_ps == to_picoseconds(7));  // 3 s of ops and 4 bytes
  CHECK(best_bound(bounds).name == "cut");
}

TEST_CASE("a chain of which a device holds two ops in a row pays for its cheapest two cuts") {
  std::vector<Op> ops = seconds_each({1, 1, 1, 1, 1});
  for (Op& op : ops) op.params_bytes = 20;
  const std::vector<Tensor> tensors = {tensor(0, {1}, 7), tensor(1, {2}, 4), tensor(2, {3}, 2),
                                       tensor(3, {4}, 3)};
  const Problem problem(graph_of(ops, tensors), alike({.devices = 3, .memory_bytes = 55}));
  CHECK(lower_bounds(problem).cut_ps == to_picoseconds(5 + 4 + 2));  // 2 and 3 would leave three
}

TEST_CASE("what the forward pass leaves for the backward pass is on its groups' devices at once") {
  std::vector<Op> ops = seconds_each({1, 1, 1, 1, 1, 1});
  const char* layers[] = {"0", "1", "2", "2", "1", "0"};
  for (std::size_t op = 0; op < ops.size(); ++op) ops[op].group = layers[op];
  const Graph graph = graph_of(ops, {tensor(0, {1, 5}, 9), tensor(1, {2, 4}, 7), tensor(2, {3}, 1),
                                     tensor(3, {4}, 1), tensor(4, {5}, 2)});
  const auto bounds = [&](std::size_t devices) {
    return lower_bounds(Problem(graph, alike({.devices = devices, .memory_bytes = 16})));
  };
  CHECK(bounds(1).infeasible ==
        "parameters and tensors that are in use while op 'op4' runs take 19 bytes, more than the "
        "16 bytes of all devices together");
  CHECK(bounds(2).infeasible == "");
  CHECK(bounds(2).cut_ps == to_picoseconds(6 + 9 + 2));  // between the layers 0 and 1
}

TEST_CASE("parts without a tensor between them need not be cut") {
  std::vector<Op> ops = seconds_each({1, 1, 1, 1});
  for (Op& op : ops) op.params_bytes = 10;
  const Problem problem(graph_of(ops, {tensor(0, {1}, 7), tensor(2, {3}, 4)}),
                        alike({.memory_bytes = 30}));
  CHECK(lower_bounds(problem).cut_ps == 0);
}

}  // namespace
}  // namespace placer::testing
