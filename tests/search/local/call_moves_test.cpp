// Changes of placements that are judged by calls, and what annealing makes of them.
#include "search/local/call_moves.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "support/problems.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

/// With gpu:0 as a host.
Problem with_calls(const Problem& problem) {
  std::vector<Device> devices = problem.topology().devices();
  devices.front().host = true;
  const Topology& topology = problem.topology();
  return Problem(problem.graph(), Topology(std::move(devices), topology.links(),
                                           topology.contention(), topology.transfers()))
      .with_goal({.objective = Objective::kCallLatency});
}

Placement after(Placement placement, const Change& change) {
  for (const Move& move : change.moves) placement[move.group] = move.device;
  return placement;
}

/// What so many draws make of the placement.
std::set<std::vector<DeviceId>> drawn(const Problem& problem, const Placement& placement) {
  const Neighbours neighbours(problem);
  CallMoves moves(problem, neighbours);
  moves.stand_at(placement);
  Rng rng(1);
  std::set<std::vector<DeviceId>> found;
  Change change;
  for (int i = 0; i < 2000; ++i) {
    moves.draw(rng, change);
    found.insert(after(placement, change).devices);
  }
  return found;
}

TEST_CASE("A group joins a call together with the groups on paths between the two") {
  //      .-> b -.
  //   a -+      +-> d     a in a call: d cannot join without b and c.
  //      '-> c -'
  const Problem problem = with_calls(Problem(fork_join(2), alike()));
  const auto found = drawn(problem, on_devices({1, 0, 0, 0}));
  CHECK(found.contains(on_devices({1, 1, 1, 1}).devices));
  CHECK(found.contains(on_devices({1, 1, 0, 0}).devices));
}

TEST_CASE("A call is cut in two at a group") {
  const Problem problem = with_calls(Problem(chain(5), alike({.devices = 3})));
  const auto found = drawn(problem, on_devices({1, 1, 1, 1, 1}));
  for (const std::size_t device : {0, 2}) {
    CHECK(found.contains(on_devices({1, 1, device, device, device}).devices));
    CHECK(found.contains(on_devices({device, device, device, 1, 1}).devices));
  }
}

TEST_CASE("Changes of calls move each group once, to another device where it may go") {
  Rng rng(3);
  for (int round = 0; round < 100; ++round) {
    const Problem problem = with_calls(random_problem(rng));
    const Neighbours neighbours(problem);
    CallMoves moves(problem, neighbours);
    Placement placement = random_placement(problem, rng);
    moves.stand_at(placement);
    Change change;
    for (int i = 0; i < 100; ++i) {
      moves.draw(rng, change);
      std::set<GroupId> groups;
      for (const Move& move : change.moves) {
        REQUIRE(groups.insert(move.group).second);
        REQUIRE(move.device != placement[move.group]);
        REQUIRE(problem.groups().is_allowed(move.group, move.device));
      }
      if (rng.chance(0.5)) continue;
      placement = after(placement, change);
      moves.follow(change.moves);
    }
  }
}

TEST_CASE("Annealing finds the best calls of small problems") {
  Rng rng(9);
  for (int round = 0; round < 12; ++round) {
    const Problem problem = with_calls(random_problem(rng, {.most_ops = 7, .most_devices = 3}));
    INFO("problem " << round);
    const Score best = run_search(problem, request_for("exhaustive", 10'000)).score;
    CHECK(run_search(problem, request_for("anneal", 4000)).score == best);
  }
}

}  // namespace
}  // namespace placer::testing
