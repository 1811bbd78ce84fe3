#include "search/groups/goal_conflict.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "support/goal_referee.hpp"
#include "support/problems.hpp"

namespace placer::testing {
namespace {

const Goal kNoReturn{.contiguity = Contiguity::kContiguous};
const Goal kAnyOrder{.contiguity = Contiguity::kStages};

/// Whether some placement keeps to the contiguity, by trying all.
bool can_be_kept(const Problem& problem) {
  Placement placement;
  const std::size_t groups = problem.groups().size();
  for (const GroupId group : IdRange<GroupId>(groups)) {
    placement.devices.push_back(problem.groups().allowed(group).front());
  }
  while (goal_referee(problem, placement).astray_ops > 0) {
    std::size_t at = 0;
    for (; at < groups; ++at) {
      const auto allowed = problem.groups().allowed(GroupId(at));
      const auto next = std::ranges::upper_bound(allowed, placement[GroupId(at)]);
      placement[GroupId(at)] = next == allowed.end() ? allowed.front() : *next;
      if (next != allowed.end()) break;
    }
    if (at == groups) return false;
  }
  return true;
}

/// `problem` with about half of its groups on one device that they may use.
Problem with_pins(const Problem& problem, Rng& rng) {
  std::vector<Op> ops = problem.graph().ops();
  for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
    if (rng.below(2) == 0) continue;
    const DeviceId device = rng.pick(problem.groups().allowed(group));
    for (const OpId op : problem.groups().ops(group)) {
      ops[op.index()].devices = {problem.topology().device(device).name};
    }
  }
  return Problem(graph_of(std::move(ops), problem.graph().tensors()), problem.topology());
}

/// op0 -> op1 -> op2, each of which may use the devices named.
Problem pinned_chain(const std::vector<std::vector<std::string>>& devices, const Goal& goal,
                     std::size_t machine = 3) {
  std::vector<Op> ops;
  for (const std::vector<std::string>& own : devices) {
    ops.push_back(on(timed_op("op" + std::to_string(ops.size()), 1), own));
  }
  std::vector<Tensor> tensors;
  for (std::size_t i = 1; i < ops.size(); ++i) tensors.push_back(tensor(i - 1, {i}, 1));
  return Problem(graph_of(std::move(ops), std::move(tensors)), alike({.devices = machine}))
      .with_goal(goal);
}

TEST_CASE("A path that leaves an op's only device and comes back is told from end to end") {
  const std::string conflict = goal_conflict(
      pinned_chain({{"gpu:0"}, {"gpu"}, {"gpu:1", "gpu:2"}, {"gpu"}, {"gpu:0"}}, kNoReturn));
  CHECK(conflict ==
        "expected pins with which no path returns to a device that it has left, found one from op "
        "'op0' (gpu:0) by op 'op2' (gpu:1, gpu:2) to op 'op4' (gpu:0)");
  CHECK(goal_conflict(pinned_chain({{"gpu:0"}, {"gpu"}, {"gpu:0"}}, kNoReturn)).empty());
  CHECK(goal_conflict(pinned_chain({{"gpu:0"}, {"gpu:1"}, {"gpu:2"}}, kNoReturn)).empty());
}

TEST_CASE("Pins that no order of stages can keep are told") {
  CHECK(goal_conflict(pinned_chain({{"gpu:0"}, {"gpu:1"}, {"gpu:0"}}, kAnyOrder)) ==
        "expected ops that can share a stage where tensors go from the one's to the other's and "
        "back, found op 'op0' (gpu:0) and op 'op1' (gpu:1)");
  CHECK(goal_conflict(pinned_chain({{"gpu:1"}, {"gpu:0"}, {"gpu"}}, kAnyOrder)).empty());
}

TEST_CASE("Of more than 64 devices with ops of their own the last counts as the first") {
  std::vector<std::vector<std::string>> devices;
  for (int i = 0; i < 70; ++i) devices.push_back({"gpu:" + std::to_string(i)});
  CHECK(goal_conflict(pinned_chain(devices, kNoReturn, 70)).empty());
  devices.push_back({"gpu:68"});
  CHECK_THAT(goal_conflict(pinned_chain(devices, kNoReturn, 70)),
             Catch::Contains("'op68' (gpu:68) by op 'op69' (gpu:69) to op 'op70' (gpu:68)"));
}

TEST_CASE("A conflict is told only where no placement keeps to the goal, and mostly there") {
  Rng rng(5);
  int told = 0, none = 0;
  for (int round = 0; round < 4'000; ++round) {
    Goal goal{.contiguity = rng.below(2) == 0 ? Contiguity::kContiguous : Contiguity::kStages};
    Problem problem = with_pins(random_problem(rng, {.most_ops = 6, .most_devices = 3}), rng);
    if (goal.contiguity == Contiguity::kStages && rng.below(2) == 0) {
      for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
        const auto place = static_cast<std::ptrdiff_t>(rng.below(goal.stages.size() + 1));
        goal.stages.insert(goal.stages.begin() + place, device);
      }
    }
    goal.objective = Objective::kThroughput;
    problem = problem.with_goal(goal);
    const bool is_told = !goal_conflict(problem).empty();
    const bool can_be = can_be_kept(problem);
    INFO("round " << round);
    CHECK_FALSE((is_told && can_be));
    told += is_told;
    none += !can_be;
    // An order that is given leaves nothing open.
    if (!goal.stages.empty()) CHECK(is_told != can_be);
  }
  INFO(told << " of " << none);
  CHECK(none > 100);
  CHECK(told > 0.8 * none);
}

}  // namespace
}  // namespace placer::testing
