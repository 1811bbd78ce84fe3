// Changes of several groups at once.
#include "search/core/group_changes.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <set>
#include <vector>

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

TEST_CASE("changes keep to allowed devices") {
  Rng rng(3);
  for (int i = 0; i < 200; ++i) {
    const Problem problem = random_problem(rng);
    const Placement placement = testing::random_placement(problem, rng);
    const Neighbours neighbours(problem);
    const GroupId group(rng.below(problem.groups().size()));
    std::array<Change, 4> changes;
    draw_adoption(problem, neighbours, placement, rng, changes[0]);
    draw_block(problem, neighbours, placement, group, rng, changes[1]);
    draw_trade(problem, neighbours, placement, group, rng, changes[2]);
    draw_renaming(problem, topological_groups(problem), placement, group, rng, changes[3]);
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
