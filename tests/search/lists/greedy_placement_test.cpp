#include "search/lists/greedy_placement.hpp"

#include <catch2/catch.hpp>

#include "search/groups/group_memory.hpp"
#include "support/problems.hpp"
#include "support/scheduling_data.hpp"

namespace placer::testing {
namespace {

constexpr DeviceId kFirst(0), kSecond(1), kThird(2);

TEST_CASE("a device that takes twice as long is 4 thirds as slow as the mean of the two") {
  const Problem problem(graph_of({timed_apart("a", 2, 1), timed_apart("b", 4, 2)}, {}), alike());
  const std::vector<double> slowness = relative_slowness(problem);
  CHECK(slowness[0] == Approx(4.0 / 3));
  CHECK(slowness[1] == Approx(2.0 / 3));
}

TEST_CASE("devices are as slow as the others where nothing takes time") {
  const Problem problem(graph_of({timed_op("a", 0)}, {}), alike());
  CHECK(relative_slowness(problem) == std::vector<double>{1, 1});
}

TEST_CASE("a group on the longest path has importance 1, one on a path a quarter as long 0.25") {
  // a -> b takes 4 s, c takes 1 s; the transfer does not count.
  const Problem problem(
      graph_of({timed_op("a", 1), timed_op("b", 3), timed_op("c", 1)}, {tensor(0, {1}, 50)}),
      alike());
  CHECK(path_importance(problem) == std::vector<double>{1, 1, 0.25});
}

//   a -2-> b, c and b -3-> d at 1 byte/s
TEST_CASE("a tensor that a device gets already is no added transfer") {
  const Problem problem(
      graph_of({timed_op("a", 1), timed_op("b", 1), timed_op("c", 1), timed_op("d", 1)},
               {tensor(0, {1, 2}, 2), tensor(1, {3}, 3)}),
      alike({.devices = 3}));
  GreedyPlacement made(problem, bytes_of_groups(problem, &GroupMemory::touched_bytes));
  made.put(GroupId(0), kFirst);
  made.put(GroupId(3), kThird);
  CHECK(made.added_transfers_ps(GroupId(1), kFirst) == to_picoseconds(3));
  CHECK(made.added_transfers_ps(GroupId(1), kSecond) == to_picoseconds(5));
  CHECK(made.added_transfers_ps(GroupId(1), kThird) == to_picoseconds(2));
  made.put(GroupId(1), kSecond);
  CHECK(made.added_transfers_ps(GroupId(2), kFirst) == 0);
  CHECK(made.added_transfers_ps(GroupId(2), kSecond) == 0);
  CHECK(made.added_transfers_ps(GroupId(2), kThird) == to_picoseconds(2));
}

TEST_CASE("where no device has room the allowed one with the most room is the candidate") {
  std::vector<Op> ops{timed_op("a", 1), timed_op("b", 1), timed_op("c", 1)};
  for (Op& op : ops) op.params_bytes = 6;
  ops[2].devices = {"gpu:0", "gpu:1"};
  const Problem problem(graph_of(ops, {}), alike({.devices = 3, .memory_bytes = 10}));
  GreedyPlacement made(problem, bytes_of_groups(problem, &GroupMemory::touched_bytes));
  made.put(GroupId(0), kFirst);
  CHECK(made.candidates(GroupId(1)) == std::vector<DeviceId>{kSecond, kThird});
  CHECK(made.memory_share(kFirst) == Approx(0.6));
  made.put(GroupId(1), kSecond);
  CHECK(made.candidates(GroupId(2)) == std::vector<DeviceId>{kFirst});
}

}  // namespace
}  // namespace placer::testing
