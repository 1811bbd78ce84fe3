#include "search/groups/group_graph.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "placer/search/grouping.hpp"
#include "support/problems.hpp"

namespace placer::testing {
namespace {

using List = std::vector<std::uint32_t>;

std::vector<List> lists(const IndexLists& lists) {
  std::vector<List> copies;
  for (std::size_t i = 0; i < lists.size(); ++i)
    copies.emplace_back(lists[i].begin(), lists[i].end());
  return copies;
}

TEST_CASE("index lists are sorted, without repeats, and some are empty") {
  const std::vector<IndexLists::Entry> entries = {{3, 1}, {1, 9}, {3, 0}, {1, 9}, {3, 1}, {1, 2}};
  CHECK(lists(IndexLists(4, entries)) == std::vector<List>{{}, {2, 9}, {}, {0, 1}});
  CHECK(IndexLists().size() == 0);
  const std::vector<IndexLists::Entry> arcs = {{0, 2}, {1, 2}, {2, 0}};
  CHECK(lists(IndexLists(3, arcs).transposed()) == std::vector<List>{{2}, {}, {0, 1}});
}

TEST_CASE("groups of a diamond: parents, children and whom they reach") {
  // a -> b, a -> c, b -> d, c -> d; 1 byte each
  const Problem problem(
      graph_of({timed_op("a", 1), timed_op("b", 2), timed_op("c", 3), timed_op("d", 4)},
               {tensor(0, {1, 2}, 1), tensor(1, {3}, 1), tensor(2, {3}, 1)}),
      alike());
  const GroupGraph graph(problem);
  CHECK(lists(graph.parents) == std::vector<List>{{}, {0}, {0}, {1, 2}});
  CHECK(lists(graph.children) == std::vector<List>{{1, 2}, {3}, {3}, {}});
  CHECK(reachable(graph.children) == std::vector<List>{{1, 2, 3}, {3}, {3}, {}});
  CHECK(graph.mean_ps[2] == 3e12);
  CHECK(graph.output_bytes[3] == 0);
  CHECK(graph.output_bytes[1] == 1);
}

TEST_CASE("start times in program order: a transfer of 1 s, then the device is taken") {
  const Problem problem(graph_of({timed_op("a", 2), timed_op("b", 3), timed_op("c", 4)},
                                 {tensor(0, {1}, 1), tensor(0, {2}, 1)}),
                        alike());
  StartTimes times(problem);
  const DeviceId here(0), there(1);
  const Picoseconds second = 1'000'000'000'000;
  CHECK(times.of({{here, here, here}}) == std::vector<Picoseconds>{0, 2 * second, 5 * second});
  CHECK(times.of({{here, there, there}}) == std::vector<Picoseconds>{0, 3 * second, 6 * second});
  CHECK(times.of({{here, there, here}}) == std::vector<Picoseconds>{0, 3 * second, 2 * second});
}

TEST_CASE("six ops in a row merge to five groups where five are asked for, and no further") {
  const std::vector<GroupId> merged = merge_groups(Problem(chain(6, 3), alike()), 5);
  CHECK(std::set<GroupId>(merged.begin(), merged.end()).size() == 5);
}

}  // namespace
}  // namespace placer::testing
