// Patterns of repeated layers, and what goes elsewhere when a device holds too much.
#include "search/local/layer_patterns.hpp"

#include <catch2/catch.hpp>

#include "placer/search/run.hpp"
#include "search/local/memory_repair.hpp"
#include "support/problems.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

/// In each layer b and c (3 s each) wait for a (1 s), and the next layer's a for both; 1 byte each.
Problem layers(std::size_t count) {
  std::vector<Op> ops;
  std::vector<Tensor> tensors;
  for (std::size_t layer = 0; layer < count; ++layer) {
    for (const char* name : {"a", "b", "c"}) {
      ops.push_back(timed_op(name + std::to_string(layer), name[0] == 'a' ? 1 : 3));
      ops.back().type = name;
    }
    const std::size_t a = 3 * layer;
    tensors.push_back(tensor(a, {a + 1, a + 2}, 1));
    if (layer + 1 == count) break;
    for (const std::size_t end : {a + 1, a + 2}) tensors.push_back(tensor(end, {a + 3}, 1));
  }
  return Problem(graph_of(std::move(ops), std::move(tensors)), alike());
}

TEST_CASE("layers alike get the pattern in which their branches run at once") {
  // 1 s to the other device. A layer on one device takes 7 s. With b on a's device, at 1-4 s, and c
  // on the other, at 2-5 s, where the next a stands and b's output is at 5 s, too, it takes 5 s;
  // where the next a stands with b, 6 s.
  const auto patterns = [](Search& search) { best_layer_pattern(search); };
  CHECK(search_with(layers(20), patterns, 400).score.step_ps == to_picoseconds(100));
}

TEST_CASE("a graph without repeated layers has no pattern") {
  const auto patterns = [](Search& search) { CHECK(!best_layer_pattern(search)); };
  const Problem problem(
      graph_of({timed_op("a", 1), timed_op("b", 2), timed_op("c", 3)}, {tensor(0, {1}, 1)}),
      alike());
  CHECK(search_with(problem, patterns, 10).evaluations == 1);  // of any placement, at the end
}

TEST_CASE("what holds too much moves where it loses least time for its bytes") {
  // gpu:0 holds 5 + 5 + 5 of 12 bytes. x would lose 4 s on gpu:1, y 1 s and z 2 s.
  std::vector<Op> ops;
  for (const double slow : {5.0, 2.0, 3.0}) {
    ops.push_back(timed_op("op" + std::to_string(ops.size()), 0));
    ops.back().seconds = {{"gpu:0", 1}, {"gpu:1", slow}};
    ops.back().params_bytes = 5;
  }
  const Problem problem(graph_of(ops, {}), alike({.memory_bytes = 12}));
  const auto from_first = [](Search& search) {
    const std::optional<Candidate> found =
        repair_memory(search, {std::vector<DeviceId>(3, DeviceId(0))});
    REQUIRE(found);
    CHECK(found->placement == Placement{{DeviceId(0), DeviceId(1), DeviceId(0)}});
  };
  const SearchResult result = search_with(problem, from_first, 10);
  CHECK(result.score.fits());
  CHECK(result.score.step_ps == to_picoseconds(2));
  CHECK(result.evaluations == 2);
}

TEST_CASE("where nothing has room the repair ends with what it was given") {
  std::vector<Op> ops{timed_op("a", 1), timed_op("b", 1)};
  ops[0].params_bytes = ops[1].params_bytes = 9;
  const Problem problem(graph_of(ops, {}), alike({.memory_bytes = 8}));
  const auto from_first = [](Search& search) {
    const std::optional<Candidate> found =
        repair_memory(search, {std::vector<DeviceId>(2, DeviceId(0))});
    REQUIRE(found);
    CHECK(found->score.overflow_bytes == 10);
  };
  CHECK(search_with(problem, from_first, 10).evaluations == 1);
}

}  // namespace
}  // namespace placer::testing
