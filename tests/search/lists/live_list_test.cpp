#include "search/lists/live_list.hpp"

#include <catch2/catch.hpp>

#include "support/problems.hpp"
#include "support/scheduling_data.hpp"

namespace placer::testing {
namespace {

/// gpu:0 has 10 bytes; gpu:1 has enough for everything.
Problem with_little_memory(Graph graph) {
  std::vector<Device> devices = alike().devices();
  devices[0].memory_bytes = 10;
  return Problem(std::move(graph), Topology(devices, alike().links(), Contention::kNone));
}

LiveList in_program_order(const Problem& problem, double limit = 1) {
  return live_list(problem, problem.graph().program_order(), limit);
}

TEST_CASE("An op waits for memory that is freed before another device would be done") {
  // a -> b hand on 8 bytes until 2 s; c makes 8 bytes, for 1 s on gpu:0 and for 5 s on gpu:1.
  const Problem problem = with_little_memory(
      graph_of({timed_apart("a", 1, 9), timed_apart("b", 1, 9), timed_apart("c", 1, 5)},
               {tensor(0, {1}, 8), Tensor{.producer = OpId(2), .consumers = {}, .bytes = 8}}));
  const LiveList list = in_program_order(problem);
  CHECK(list.placement == on_devices({0, 0, 0}));
  CHECK(list.order == OpOrder{OpId(0), OpId(1), OpId(2)});
  CHECK(list.makespan_ps == to_picoseconds(3.0));
}

/// a, whose output of 8 bytes b and c read, b of 9 s, and d, which makes 3 bytes in 1 s on gpu:0 or
/// `elsewhere` s on gpu:1. c comes before or after d.
Problem with_late_reader(double elsewhere, bool is_last) {
  std::vector<Op> ops = {timed_apart("a", 1, 99), timed_apart("b", 9, 99), timed_apart("c", 1, 99),
                         timed_apart("d", 1, elsewhere)};
  if (is_last) std::swap(ops[2], ops[3]);
  const std::size_t reader = is_last ? 3 : 2;
  return with_little_memory(graph_of(
      std::move(ops), {tensor(0, {1, reader}, 8),
                       Tensor{.producer = OpId(5 - reader), .consumers = {}, .bytes = 3}}));
}

TEST_CASE("An op goes elsewhere where memory is freed too late, or nobody knows when") {
  CHECK(in_program_order(with_late_reader(4, false)).placement == on_devices({0, 0, 0, 1}));
  CHECK(in_program_order(with_late_reader(20, false)).placement == on_devices({0, 0, 0, 0}));
  CHECK(in_program_order(with_late_reader(20, true)).placement == on_devices({0, 0, 1, 0}));
}

TEST_CASE("Parameters, copies and the limit count") {
  Op op = timed_apart("a", 1, 4);
  op.params_bytes = 8;
  const Problem parameters = with_little_memory(graph_of({op}, {}));
  CHECK(in_program_order(parameters).placement == on_devices({0}));
  CHECK(in_program_order(parameters, 0.7).placement == on_devices({1}));
  // b would hold a copy of 11 bytes on gpu:0.
  const Problem copies = with_little_memory(graph_of(
      {on(timed_apart("a", 1, 1), {"gpu:1"}), timed_apart("b", 1, 30)}, {tensor(0, {1}, 11)}));
  CHECK(in_program_order(copies).placement == on_devices({1, 1}));
}

TEST_CASE("What has room nowhere goes where most is left") {
  Op op = timed_op("a", 1);
  op.params_bytes = 50;
  std::vector<Device> devices = alike().devices();
  devices[0].memory_bytes = 10;
  devices[1].memory_bytes = 20;
  const Problem problem(graph_of({op}, {}), Topology(devices, alike().links(), Contention::kNone));
  CHECK(in_program_order(problem).placement == on_devices({1}));
}

}  // namespace
}  // namespace placer::testing
