// Changes of several groups at once.
#include "search/core/group_changes.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "search/groups/alike_groups.hpp"
#include "search/groups/topological_groups.hpp"
#include "support/problems.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

Placement after(Placement placement, const Change& change) {
  for (const Move& move : change.moves) placement[move.group] = move.device;
  return placement;
}

TEST_CASE("a trade swaps groups, or as many on either side, that have neighbours where they go") {
  const Problem problem(chain(8), alike());
  const Neighbours neighbours(problem);
  const Placement placement = on_devices({0, 0, 0, 1, 1, 1, 0, 0});
  Rng rng(1);
  std::set<std::vector<DeviceId>> found;
  for (int i = 0; i < 500; ++i) {
    Change change;
    draw_trade(problem, neighbours, placement, GroupId(2), rng, change);
    if (!change.empty()) found.insert(after(placement, change).devices);
  }
  const std::set<std::vector<DeviceId>> expected = {
      on_devices({0, 0, 1, 0, 1, 1, 0, 0}).devices, on_devices({0, 0, 1, 1, 1, 0, 0, 0}).devices,
      on_devices({0, 1, 1, 0, 0, 1, 0, 0}).devices, on_devices({0, 1, 1, 1, 0, 0, 0, 0}).devices,
      on_devices({1, 1, 1, 0, 0, 0, 0, 0}).devices};
  CHECK(found == expected);
  Change change;
  draw_trade(problem, neighbours, placement, GroupId(0), rng, change);
  CHECK(change.empty());  // its only neighbour stands with it
}

TEST_CASE("identical devices change names from a group on") {
  const Problem problem(chain(5), alike({.devices = 2}));
  const std::vector<GroupId> sequence = topological_groups(problem);
  const Placement placement = on_devices({0, 0, 1, 0, 1});
  Rng rng(1);
  Change change;
  while (change.empty()) draw_renaming(problem, sequence, placement, GroupId(2), rng, change);
  CHECK(after(placement, change) == on_devices({0, 0, 0, 1, 0}));
  while (change.moves.size() < 5) {
    draw_renaming(problem, sequence, placement, GroupId(0), rng, change);
  }
  const Placement renamed = after(placement, change);
  CHECK(renamed == on_devices({1, 1, 0, 1, 0}));
  Simulator simulator(problem, Order::kFifo);
  CHECK((simulator.evaluate(renamed) == simulator.evaluate(placement)));
}

TEST_CASE("devices that differ keep their names, and groups go only where they may") {
  const Problem unlike = fast_and_slow(4);
  Rng rng(1);
  Change change;
  for (int i = 0; i < 50; ++i) {
    draw_renaming(unlike, topological_groups(unlike), on_devices({0, 1, 0, 1}), GroupId(0), rng,
                  change);
    CHECK(change.empty());
  }
}

/// So many layers of three ops that are alike; the second device takes `slower` times as long.
Problem layers_of_three(std::size_t layers, double slower = 1) {
  std::vector<Op> ops;
  for (std::size_t at = 0; at < 3 * layers; ++at) {
    const double seconds = 1 + static_cast<double>(at % 3);
    ops.push_back(timed_op("op" + std::to_string(at), seconds));
    ops.back().seconds = {{"gpu:0", seconds}, {"gpu:1", slower * seconds}, {"gpu:2", seconds}};
  }
  return Problem(graph_of(std::move(ops), {}), alike({.devices = 3}));
}

/// What `draw_likeness` makes of `placement`, from 2,000 draws.
std::set<std::vector<DeviceId>> likenesses(const Problem& problem, const Placement& placement,
                                           GroupId group) {
  const AlikeGroups alike_groups(problem);
  Rng rng(1);
  std::set<std::vector<DeviceId>> found;
  for (int i = 0; i < 2000; ++i) {
    Change change;
    draw_likeness(problem, alike_groups, placement, group, rng, change);
    std::set<GroupId> moved;
    for (const Move& move : change.moves) CHECK(moved.insert(move.group).second);
    if (!change.empty()) found.insert(after(placement, change).devices);
  }
  return found;
}

TEST_CASE("a layer is placed as another that is alike, or the two trade places") {
  const Problem problem = layers_of_three(3, 2);
  const Placement placement = on_devices({0, 0, 0, 0, 1, 0, 0, 0, 0});
  const auto found = likenesses(problem, placement, GroupId(1));
  CHECK(found == std::set<std::vector<DeviceId>>{
                     on_devices({0, 1, 0, 0, 1, 0, 0, 0, 0}).devices,    // as the second
                     on_devices({0, 1, 0, 0, 0, 0, 0, 0, 0}).devices,    // instead of it
                     on_devices({0, 1, 0, 0, 1, 0, 0, 1, 0}).devices});  // and so the third
  CHECK(likenesses(problem, on_devices({0, 0, 0, 0, 0, 0, 0, 0, 0}), GroupId(1)).empty());
}

TEST_CASE("a layer that is placed as another keeps its device where the two are identical") {
  const Problem problem = layers_of_three(2);
  const Placement placement = on_devices({0, 0, 0, 1, 2, 1});
  CHECK(
      likenesses(problem, placement, GroupId(1)).contains(on_devices({0, 2, 0, 1, 2, 1}).devices));
}

TEST_CASE("changes keep to allowed devices") {
  Rng rng(3);
  for (int i = 0; i < 200; ++i) {
    const Problem problem = random_problem(rng);
    const Placement placement = testing::random_placement(problem, rng);
    const Neighbours neighbours(problem);
    const GroupId group(rng.below(problem.groups().size()));
    std::array<Change, 5> changes;
    draw_adoption(problem, neighbours, placement, rng, changes[0]);
    draw_block(problem, neighbours, placement, group, rng, changes[1]);
    draw_trade(problem, neighbours, placement, group, rng, changes[2]);
    draw_renaming(problem, topological_groups(problem), placement, group, rng, changes[3]);
    draw_likeness(problem, AlikeGroups(problem), placement, group, rng, changes[4]);
    for (const Change& change : changes) {
      for (const Move& move : change.moves) {
        CHECK(problem.groups().is_allowed(move.group, move.device));
        CHECK(placement[move.group] != move.device);
      }
    }
  }
}

}  // namespace
}  // namespace placer::testing
