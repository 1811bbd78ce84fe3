#include "placer/model/graph.hpp"

#include <catch2/catch.hpp>
#include <limits>

#include "placer/base/errors.hpp"
#include "support/problems.hpp"

namespace placer::testing {
namespace {

using Catch::Message;

TEST_CASE("A cycle is refused with the ops that form it", "[model]") {
  // a -> b -> c -> b
  CHECK_THROWS_MATCHES(
      graph_of({timed_op("a", 1), timed_op("b", 1), timed_op("c", 1)},
               {tensor(0, {1}, 1), tensor(1, {2}, 1), tensor(2, {1}, 1)}),
      Error, Message("ops: expected an acyclic graph, found the cycle 'b' -> 'c' -> 'b'"));
}

TEST_CASE("An op behind a cycle is not named as part of it", "[model]") {
  // x behind b <-> c: only b and c are in the cycle.
  CHECK_THROWS_MATCHES(
      graph_of({timed_op("x", 1), timed_op("b", 1), timed_op("c", 1)},
               {tensor(1, {2, 0}, 1), tensor(2, {1}, 1)}),
      Error, Message("ops: expected an acyclic graph, found the cycle 'b' -> 'c' -> 'b'"));
}

TEST_CASE("A long cycle is cut after eight ops", "[model]") {
  std::vector<Op> ops;
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < 20; ++i) {
    ops.push_back(timed_op("op" + std::to_string(i), 1));
    tensors.push_back(tensor(i, {(i + 1) % 20}, 1));
  }
  try {
    graph_of(ops, tensors);
    FAIL("accepted a cycle");
  } catch (const Error& error) {
    CHECK_THAT(error.what(), Catch::EndsWith("-> ... (20 ops)"));
  }
}

TEST_CASE("An op name that occurs twice is refused with both places", "[model]") {
  CHECK_THROWS_MATCHES(
      graph_of({timed_op("a", 1), timed_op("b", 1), timed_op("a", 1)}, {}), Error,
      Message("ops[2].name: expected a unique name, found 'a' again (first at ops[0])"));
}

TEST_CASE("A graph without ops, and an op without a name, are refused", "[model]") {
  CHECK_THROWS_MATCHES(graph_of({}, {}), Error,
                       Message("ops: expected at least one op, found none"));
  CHECK_THROWS_MATCHES(graph_of({timed_op("", 1)}, {}), Error,
                       Message("ops[0].name: expected a name, found an empty string"));
}

TEST_CASE("A number out of range is refused with its place", "[model]") {
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK_THROWS_MATCHES(graph_of({timed_op("a", -1)}, {}), Error,
                       Message("ops[0].seconds.gpu: expected a number from 0, found -1"));
  CHECK_THROWS_MATCHES(graph_of({timed_op("a", infinity)}, {}), Error,
                       Message("ops[0].seconds.gpu: expected a number from 0, found inf"));
  Op op = timed_op("a", 1);
  op.flops = -2;
  CHECK_THROWS_MATCHES(graph_of({op}, {}), Error,
                       Message("ops[0].flops: expected a number from 0, found -2"));
  op.flops = infinity;
  CHECK_THROWS_AS(graph_of({op}, {}), Error);
  op = timed_op("a", 1);
  op.params_bytes = -3;
  CHECK_THROWS_MATCHES(graph_of({op}, {}), Error,
                       Message("ops[0].params_bytes: expected an integer from 0, found -3"));
  CHECK_THROWS_MATCHES(graph_of({timed_op("a", 1)}, {tensor(0, {}, -4)}), Error,
                       Message("tensors[0].bytes: expected an integer from 0, found -4"));
  Tensor fixed = tensor(0, {}, 4);
  fixed.transfer_seconds = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_MATCHES(graph_of({timed_op("a", 1)}, {fixed}), Error,
                       Message("tensors[0].transfer_seconds: expected a number from 0, found nan"));
}

TEST_CASE("An op that reads its own output is refused", "[model]") {
  CHECK_THROWS_MATCHES(
      graph_of({timed_op("a", 1)}, {tensor(0, {0}, 1)}), Error,
      Message("tensors[0].consumers: expected other ops than the producer, found 'a' itself"));
}

TEST_CASE("A consumer named twice counts once", "[model]") {
  const Graph graph =
      graph_of({timed_op("a", 1), timed_op("b", 1), timed_op("c", 1)}, {tensor(0, {2, 1, 2}, 1)});
  CHECK((graph.tensor(TensorId(0)).consumers == std::vector<OpId>{OpId(1), OpId(2)}));
  CHECK(graph.edge_count() == 2);
  CHECK(graph.inputs(OpId(2)).size() == 1);
}

TEST_CASE("Two tensors between the same ops are two inputs", "[model]") {
  const Graph graph =
      graph_of({timed_op("a", 1), timed_op("b", 1)}, {tensor(0, {1}, 1), tensor(0, {1}, 2)});
  CHECK(graph.inputs(OpId(1)).size() == 2);
  CHECK(graph.outputs(OpId(0)).size() == 2);
  CHECK(graph.outputs(OpId(1)).empty());
  CHECK(graph.inputs(OpId(0)).empty());
}

TEST_CASE("The program order takes the lowest id whose inputs are done", "[model]") {
  // 4 -> 0, 2 -> 1: the free ops are 2, 3, 4; 1 follows 2 at once, 0 only after 4.
  std::vector<Op> ops;
  for (int i = 0; i < 5; ++i) ops.push_back(timed_op("op" + std::to_string(i), 1));
  const Graph graph = graph_of(ops, {tensor(4, {0}, 1), tensor(2, {1}, 0)});
  CHECK((graph.program_order() == std::vector<OpId>{OpId(2), OpId(1), OpId(3), OpId(4), OpId(0)}));
  CHECK(graph.program_position(OpId(2)) == 0);
  CHECK(graph.program_position(OpId(4)) == 3);
  CHECK(graph.program_position(OpId(0)) == 4);
}

}  // namespace
}  // namespace placer::testing
