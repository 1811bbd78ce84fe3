#include "search/groups/contiguity_repair.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "search/core/plain_placements.hpp"
#include "support/fuzz_pipelines.hpp"
#include "support/goal_referee.hpp"
#include "support/problems.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

const Goal kContiguous{.contiguity = Contiguity::kContiguous};
const Goal kStages{.contiguity = Contiguity::kStages};

Placement after(Placement placement, const std::vector<Move>& moves) {
  for (const Move& move : moves) placement[move.group] = move.device;
  return placement;
}

/// What becomes of `devices` when the group goes to the device.
Placement moved(const Problem& problem, const std::vector<std::size_t>& devices, std::size_t group,
                std::size_t device) {
  const Placement placement = on_devices(devices);
  std::vector<Move> moves = {{GroupId(group), DeviceId(device)}};
  ContiguityRepair(problem).repair(placement, moves);
  return after(placement, moves);
}

/// Ops that break the contiguity asked for.
std::int64_t astray(const Problem& problem, const Placement& placement) {
  Goal goal = problem.goal();
  goal.objective = Objective::kThroughput;  // under calls, those that never start count, too
  return goal_referee(problem.with_goal(std::move(goal)), placement).astray_ops;
}

TEST_CASE("A group that goes to another stage takes along what is in its way") {
  for (const Goal& goal : {kContiguous, kStages}) {
    const Problem problem = Problem(chain(6), alike({.devices = 3})).with_goal(goal);
    const std::vector<std::size_t> devices = {0, 0, 0, 1, 1, 1};
    CHECK(moved(problem, devices, 2, 1) == on_devices({0, 0, 1, 1, 1, 1}));
    CHECK(moved(problem, devices, 1, 1) == on_devices({0, 1, 1, 1, 1, 1}));
    CHECK(moved(problem, devices, 4, 0) == on_devices({0, 0, 0, 0, 0, 1}));
  }
}

TEST_CASE("A device without groups becomes the stage that takes fewer groups along") {
  const Problem problem = Problem(chain(6), alike({.devices = 3})).with_goal(kStages);
  CHECK(moved(problem, {0, 0, 0, 1, 1, 1}, 2, 2) == on_devices({0, 0, 2, 1, 1, 1}));
  CHECK(moved(problem, {0, 0, 0, 1, 1, 1}, 3, 2) == on_devices({0, 0, 0, 2, 1, 1}));
  CHECK(moved(problem, {0, 0, 0, 0, 0, 0}, 4, 2) == on_devices({0, 0, 0, 0, 2, 2}));
  CHECK(moved(problem, {0, 0, 0, 0, 0, 0}, 1, 2) == on_devices({2, 2, 0, 0, 0, 0}));
}

TEST_CASE("In a given order of stages a device without groups has its place as well") {
  const Goal goal{.contiguity = Contiguity::kStages,
                  .stages = {DeviceId(2), DeviceId(0), DeviceId(1)}};
  const Problem problem = Problem(chain(4), alike({.devices = 3})).with_goal(goal);
  CHECK(moved(problem, {0, 0, 0, 0}, 1, 2) == on_devices({2, 2, 0, 0}));
  CHECK(moved(problem, {0, 0, 0, 0}, 1, 1) == on_devices({0, 1, 1, 1}));
}

TEST_CASE("Moves that keep to the goal in another order of the devices stay as they are") {
  // a -> b and c -> d: stages 0 and 1 may stand either way.
  const Problem problem =
      Problem(graph_of(seconds_each({1, 1, 1, 1}), {tensor(0, {1}, 1), tensor(2, {3}, 1)}), alike())
          .with_goal(kStages);
  CHECK(moved(problem, {0, 0, 1, 1}, 0, 1) == on_devices({1, 0, 1, 1}));
  CHECK(moved(problem, {0, 0, 1, 1}, 1, 1) == on_devices({0, 1, 1, 1}));
  CHECK(moved(problem, {1, 0, 1, 1}, 3, 0) == on_devices({1, 0, 1, 0}));
}

TEST_CASE("What is taken along goes to the nearest stage where it may go, or nothing does") {
  std::vector<Op> ops = seconds_each({1, 1, 1});
  ops[1] = on(ops[1], {"gpu:0", "gpu:2"});
  const Graph line = graph_of(ops, {tensor(0, {1}, 1), tensor(1, {2}, 1)});
  const Problem problem = Problem(line, alike({.devices = 3})).with_goal(kStages);
  CHECK(moved(problem, {0, 0, 2}, 0, 1) == on_devices({1, 0, 2}));  // as asked: astray
  const Goal given{.contiguity = Contiguity::kStages,
                   .stages = {DeviceId(0), DeviceId(1), DeviceId(2)}};
  CHECK(moved(problem.with_goal(given), {0, 0, 2}, 0, 1) == on_devices({1, 2, 2}));
}

TEST_CASE("Moves from placements that are astray stay as they are") {
  const Problem problem = Problem(chain(4), alike()).with_goal(kStages);
  CHECK(moved(problem, {0, 1, 0, 1}, 0, 1) == on_devices({1, 1, 0, 1}));
}

/// Calls visit(problem, rng) for those of the random pipelines that ask for contiguity.
template <class Visit>
void for_each_ruled(std::uint64_t seed, std::size_t rounds, Visit visit) {
  for (std::size_t round = 0; round < rounds; ++round) {
    Rng rng = Rng(seed).stream("problem", round);
    const Problem problem = random_pipeline(round, rng, 14);
    if (problem.goal().contiguity != Contiguity::kNone) visit(problem, rng);
  }
}

TEST_CASE("Repaired moves of random problems keep to the goal, and move each group once") {
  int repaired = 0, barred = 0;
  for_each_ruled(3, 400, [&](const Problem& problem, Rng& rng) {
    ContiguityRepair repair(problem);
    Placement placement = placer::random_placement(problem, rng);
    for (int step = 0; step < 20 && astray(problem, placement) == 0; ++step) {
      std::vector<Move> moves;
      for (std::size_t i = 0; i < 1 + rng.below(2); ++i) {
        const GroupId group(rng.below(problem.groups().size()));
        const bool is_new = std::ranges::find(moves, group, &Move::group) == moves.end();
        if (is_new) moves.push_back({group, rng.pick(problem.groups().allowed(group))});
      }
      const Placement asked = after(placement, moves);
      repair.repair(placement, moves);
      const Placement reached = after(placement, moves);
      std::set<GroupId> groups;
      for (const Move& move : moves) {
        REQUIRE(groups.insert(move.group).second);
        REQUIRE(problem.groups().is_allowed(move.group, move.device));
      }
      const bool keeps = astray(problem, reached) == 0;
      REQUIRE((keeps || reached == asked));
      if (!keeps) {
        ++barred;
        continue;
      }
      repaired += reached == asked ? 0 : 1;
      placement = reached;
    }
  });
  CHECK(repaired > 300);
  CHECK(barred < repaired / 4);  // devices that some op may not use
}

TEST_CASE("What breaks the rules becomes the pipeline to which the fewest groups have to go") {
  const Problem problem = Problem(chain(6), alike({.devices = 3})).with_goal(kStages);
  ContiguityRepair repair(problem);
  const auto kept = [&](const std::vector<std::size_t>& devices) {
    return repair.kept(on_devices(devices));
  };
  CHECK(kept({2, 2, 0, 0, 1, 1}) == on_devices({2, 2, 0, 0, 1, 1}));
  CHECK(kept({0, 0, 1, 1, 0, 1}) == on_devices({0, 0, 1, 1, 1, 1}));
  CHECK(kept({0, 1, 0, 0, 1, 2}) == on_devices({0, 0, 0, 0, 1, 2}));
  CHECK(kept({0, 1, 0, 1, 0, 1}) == on_devices({0, 1, 1, 1, 1, 1}));
  CHECK(kept({1, 1, 1, 0, 1, 0}) == on_devices({1, 1, 1, 0, 0, 0}));
  const Goal given{.contiguity = Contiguity::kStages,
                   .stages = {DeviceId(2), DeviceId(1), DeviceId(0)}};
  CHECK(ContiguityRepair(problem.with_goal(given)).kept(on_devices({0, 2, 2, 2, 2, 1})) ==
        on_devices({2, 2, 2, 2, 2, 1}));
}

TEST_CASE("Random placements become pipelines, and those that are some stay as they are") {
  int mended = 0, beyond = 0;
  for_each_ruled(4, 600, [&](const Problem& problem, Rng& rng) {
    ContiguityRepair repair(problem);
    for (int draw = 0; draw < 10; ++draw) {
      const Placement placement = testing::random_placement(problem, rng);
      const Placement kept = repair.kept(placement);
      const bool was_kept = astray(problem, placement) == 0;
      const bool are_calls = problem.goal().objective == Objective::kCallLatency;
      if (was_kept && !are_calls) REQUIRE(kept == placement);
      for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
        REQUIRE(problem.groups().is_allowed(group, kept[group]));
      }
      if (was_kept) continue;
      const bool keeps = astray(problem, kept) == 0;
      REQUIRE((keeps || kept == placement));
      ++(keeps ? mended : beyond);
    }
  });
  CHECK(mended > 500);
  CHECK(beyond < mended / 4);  // devices that some op may not use
}

TEST_CASE("Calls that would wait for each other become a pipeline") {
  // a -> b -> c -> d: on two devices in turn each would wait for the other.
  const Problem problem =
      Problem(chain(4), alike()).with_goal({.objective = Objective::kCallLatency});
  CHECK(ContiguityRepair(problem).kept(on_devices({0, 1, 0, 1})) == on_devices({0, 1, 1, 1}));
  CHECK(ContiguityRepair(problem).kept(on_devices({0, 0, 1, 1})) == on_devices({0, 0, 1, 1}));
  for (const char* algorithm : {"round-robin", "hash", "m-sct", "cross-entropy"}) {
    INFO(algorithm);
    SearchRequest request = request_for(algorithm, 100);
    request.additions.single_devices = false;
    CHECK(run_search(problem, request).score.fits());
  }
}

TEST_CASE("Every algorithm ends where the order of stages leaves one placement") {
  std::vector<Op> ops = seconds_each({1, 1, 1, 1});
  ops[0] = on(ops[0], {"gpu:1"});
  const Goal goal{.objective = Objective::kThroughput,
                  .contiguity = Contiguity::kStages,
                  .stages = {DeviceId(0), DeviceId(1)}};
  const Problem problem =
      Problem(graph_of(ops, {tensor(0, {1, 2}, 1), tensor(2, {3}, 1)}), alike()).with_goal(goal);
  for (const Optimizer& optimizer : all_optimizers()) {
    if (!optimizer.info.unavailable.empty() || !serves(optimizer.info, goal)) continue;
    INFO(optimizer.name);
    CHECK(run_search(problem, request_for(optimizer.name, 200)).placement ==
          on_devices({1, 1, 1, 1}));
  }
}

TEST_CASE("Everything that an algorithm has scored within stages keeps to them") {
  Rng rng(8);
  const Problem problem =
      Problem(random_problem(rng, {.most_ops = 40, .limits = false}))
          .with_goal({.objective = Objective::kThroughput, .contiguity = Contiguity::kStages});
  for (const Optimizer& optimizer : all_optimizers()) {
    if (!optimizer.info.unavailable.empty() || !serves(optimizer.info, problem.goal())) continue;
    INFO(optimizer.name);
    SearchRequest request = request_for(optimizer.name, 150);
    request.additions.single_devices = false;
    const SearchResult result = run_search(problem, request);
    CHECK(result.score.astray_ops == 0);
    CHECK(astray(problem, result.placement) == 0);
  }
}

TEST_CASE("Random placements are pipelines where those are asked for") {
  Rng rng(5);
  std::set<std::vector<DeviceId>> found;
  const Problem problem = Problem(fork_join(4), alike({.devices = 3})).with_goal(kStages);
  for (int i = 0; i < 200; ++i) {
    const Placement placement = placer::random_placement(problem, rng);
    CHECK(astray(problem, placement) == 0);
    found.insert(placement.devices);
  }
  CHECK(found.size() > 40);
}

TEST_CASE("Searches move within stages: a line of 40 is cut into four equal ones") {
  for (const auto contiguity : {Contiguity::kContiguous, Contiguity::kStages}) {
    const Problem problem =
        Problem(chain(40, 0), alike({.devices = 4}))
            .with_goal({.objective = Objective::kThroughput, .contiguity = contiguity});
    const auto seconds = [&](const char* algorithm) {
      return to_seconds(run_search(problem, request_for(algorithm, 1000)).score.step_ps);
    };
    for (const char* algorithm : {"anneal", "tabu", "hill-climb", "lns", "multilevel"}) {
      INFO(algorithm);
      CHECK(seconds(algorithm) == 10);
    }
    CHECK(seconds("genetic") <= 11);
  }
}

TEST_CASE("Searches within stages give the same on one thread and on two") {
  Rng rng(6);
  const Problem problem =
      Problem(random_problem(rng, {.limits = false}))
          .with_goal({.objective = Objective::kThroughput, .contiguity = Contiguity::kStages});
  for (const char* algorithm : {"anneal", "genetic", "auto"}) {
    INFO(algorithm);
    SearchRequest request = request_for(algorithm, 3000);
    const SearchResult one = run_search(problem, request);
    request.threads = 2;
    const SearchResult two = run_search(problem, request);
    CHECK(one.placement == two.placement);
    CHECK(one.evaluations == two.evaluations);
  }
}

}  // namespace
}  // namespace placer::testing
