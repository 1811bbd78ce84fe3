// batch-split, mite and dfs (Mayer, Mayer, Laich 2017); hash and critical-path have files of their
// own.
#include <catch2/catch.hpp>

#include "placer/search/optimizer.hpp"
#include "support/problems.hpp"
#include "support/scheduling_data.hpp"

namespace placer::testing {
namespace {

//   c alone and a -> b and d alone, each twice as fast on gpu:1
std::vector<Op> two_paths_of_one_and_one_of_two() {
  return {timed_apart("c", 2, 1), timed_apart("a", 2, 1), timed_apart("b", 2, 1),
          timed_apart("d", 2, 1)};
}

TEST_CASE("batch-split puts the half of the ops with the longest paths on the faster device") {
  const Problem problem(graph_of(two_paths_of_one_and_one_of_two(), {tensor(1, {2}, 1)}), alike());
  CHECK(run_optimizer(problem, "batch-split").placement == on_devices({0, 1, 1, 0}));
}

TEST_CASE("what batch-split finds no room for goes to the next device") {
  std::vector<Op> ops = two_paths_of_one_and_one_of_two();
  ops[1].params_bytes = 90;
  ops[2].params_bytes = 20;  // and 1 byte of a's output
  const Problem problem(graph_of(ops, {tensor(1, {2}, 1)}), alike({.memory_bytes = 100}));
  const SearchResult result = run_optimizer(problem, "batch-split");
  CHECK(result.placement == on_devices({0, 1, 0, 0}));
  CHECK(result.score.fits());
}

TEST_CASE("batch-split gives each of three alike devices as many ops, whatever they cost") {
  std::vector<Op> ops;
  for (int i = 0; i < 6; ++i) ops.push_back(timed_op("op" + std::to_string(i), 10 - i));
  const Problem problem(graph_of(ops, {}), alike({.devices = 3}));
  CHECK(run_optimizer(problem, "batch-split").placement == on_devices({0, 0, 1, 1, 2, 2}));
}

//   a -10-> b. For b: gpu:0 (memory share + 0.05) x 0.05 x 1.05, gpu:1 0.05 x 1.05 x 0.55, beside
//   the same importance. With 60 of 100 bytes taken 0.0341 > 0.0289, with 60 of 200 0.0184.
TEST_CASE("mite leaves a producer's device for an empty one once enough of its memory is taken") {
  std::vector<Op> ops{timed_op("a", 1), timed_op("b", 1)};
  ops[0].params_bytes = 50;
  const Graph graph = graph_of(ops, {tensor(0, {1}, 10)});
  CHECK(run_optimizer(Problem(graph, alike({.memory_bytes = 100})), "mite").placement ==
        on_devices({0, 1}));
  CHECK(run_optimizer(Problem(graph, alike({.memory_bytes = 200})), "mite").placement ==
        on_devices({0, 0}));
}

//   gpu:1 is twice as fast. 'first' goes there; for 'second' both devices would be busy for 8 s,
//   and importance decides, 0.55 against 0.05; for 'short' execution time does, 0.145 against
//   0.9975.
TEST_CASE("mite holds the fast device for the longest paths") {
  const Problem problem(graph_of({timed_apart("first", 8, 4), timed_apart("second", 8, 4),
                                  timed_apart("short", 0.8, 0.4)},
                                 {}),
                        alike());
  CHECK(run_optimizer(problem, "mite").placement == on_devices({1, 1, 0}));
}

TEST_CASE("mite keeps a consumer beside the producer of the larger tensor") {
  // a on gpu:0, b on gpu:1 as it is idle; c takes 1 byte of a and 9 of b.
  const Problem problem(graph_of({timed_op("a", 1), timed_op("b", 1), timed_op("c", 1)},
                                 {tensor(0, {2}, 1), tensor(1, {2}, 9)}),
                        alike());
  CHECK(run_optimizer(problem, "mite").placement == on_devices({0, 1, 1}));
}

TEST_CASE("dfs walks the longest path first and keeps it together") {
  // p alone; q -> r -> s
  const Problem problem(
      graph_of({timed_op("p", 1), timed_op("q", 1), timed_op("r", 1), timed_op("s", 1)},
               {tensor(1, {2}, 1), tensor(2, {3}, 1)}),
      alike());
  CHECK(run_optimizer(problem, "dfs").placement == on_devices({1, 0, 0, 0}));
}

//   For b: 0.05 x (100 + 1) s on gpu:0 against 1.05 x 1 s.
TEST_CASE("dfs leaves a path's device when another has over 21 times less to do") {
  const Problem early(chain(20), alike());
  CHECK(run_optimizer(early, "dfs").placement == *early.all_on(DeviceId(0)));
  const Problem late(graph_of({timed_op("a", 100), timed_op("b", 1)}, {tensor(0, {1}, 1)}),
                     alike());
  CHECK(run_optimizer(late, "dfs").placement == on_devices({0, 1}));
}

TEST_CASE("a path that does not fit is cut by dfs and mite where the memory ends") {
  std::vector<Op> ops{timed_op("a", 1), timed_op("b", 1), timed_op("c", 1)};
  for (Op& op : ops) op.params_bytes = 40;
  const Problem problem(graph_of(ops, {tensor(0, {1}, 1), tensor(1, {2}, 1)}),
                        alike({.memory_bytes = 90}));
  for (const char* name : {"dfs", "mite"}) {
    INFO(name);
    CHECK(run_optimizer(problem, name).score.fits());
  }
}

}  // namespace
}  // namespace placer::testing
