// When a join can start if the ops before it are placed.
#include "search/joins/joint_start.hpp"

#include <catch2/catch.hpp>

#include "search/joins/heads_and_tails.hpp"
#include "support/exhaustive.hpp"
#include "support/problems.hpp"

namespace placer::testing {
namespace {

Op only_on(const std::string& name, double seconds, const std::string& device) {
  return on(timed_op(name, seconds), {device});
}

/// The start of the last op in seconds, where each op has one device.
double last_start(const Problem& problem) {
  const MemoryFit fit(problem);
  const OpId join(problem.op_count() - 1);
  const auto only_device = [&](GroupId group) { return problem.groups().allowed(group).front(); };
  std::vector<DeviceId> places{only_device(problem.groups().of(join))};
  for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
    if (device != places.front()) places.push_back(device);
  }
  const HeadsAndTails times = fork_join_times(problem, fit);
  const JoinBasis basis{join, places, times.heads_ps, times.columns, 0};
  JoinRegion region(problem, fit, Toward::kEnd);
  region.find(join, places, Depth::kBranches);
  JoinMembers members(problem);
  members.select(basis, region, Reach::kLate);
  JointPlacement placement{.placed = members.groups().size()};
  for (std::size_t i = 0; i < placement.placed; ++i) {
    placement.devices[i] = only_device(members.groups()[i]);
  }
  JointStart start(problem, members);
  start.begin(basis);
  return to_seconds(start.least_ps(basis, placement));
}

TEST_CASE("of one op's tensors for a device the first one in the file is sent first") {
  // 'source' ends at 1 s, its tensors are there at 4 s and 7 s, 'long' ends at 12 s.
  const Problem problem(
      graph_of({only_on("source", 1, "gpu:0"), only_on("short", 1, "gpu:1"),
                only_on("long", 5, "gpu:1"), only_on("join", 1, "gpu:1")},
               {tensor(0, {1}, 3), tensor(0, {2}, 3), tensor(1, {3}, 1), tensor(2, {3}, 1)}),
      alike());
  CHECK(last_start(problem) == 12);
  CHECK(exhaustive_best(problem).score.step_ps == to_picoseconds(13));
}

TEST_CASE("where a device has one channel out tensors for different devices wait, too") {
  // 'first' sends to gpu:1 until 4 s, then 'second' to gpu:2 until 7 s, where 'long' ends at 12 s.
  const auto problem = [](Contention contention) {
    return Problem(
        graph_of(
            {only_on("first", 1, "gpu:0"), only_on("second", 1, "gpu:0"),
             only_on("long", 5, "gpu:2"), only_on("side", 1, "gpu:1"), only_on("join", 1, "gpu:2")},
            {tensor(0, {1, 3}, 3), tensor(1, {2}, 3), tensor(2, {4}, 1), tensor(3, {4}, 1)}),
        alike({.devices = 3, .contention = contention}));
  };
  for (const auto shared : {Contention::kEgress, Contention::kPorts, Contention::kHalfDuplex}) {
    CHECK(last_start(problem(shared)) == 12);
    CHECK(exhaustive_best(problem(shared)).score.step_ps == to_picoseconds(13));
  }
  CHECK(last_start(problem(Contention::kLink)) == 10);
  CHECK(last_start(problem(Contention::kNone)) == 10);
}

TEST_CASE("a tensor does not wait for one that another op sends later over the same channel") {
  // 'late' sends to gpu:1 from 5 s to 8 s, 'early', which stands behind it, from 1 s to 4 s.
  const auto problem = [](Contention contention) {
    return Problem(graph_of({only_on("late", 5, "gpu:0"), only_on("early", 1, "gpu:2"),
                             only_on("join", 1, "gpu:1")},
                            {tensor(0, {2}, 3), tensor(1, {2}, 3)}),
                   alike({.devices = 3, .contention = contention}));
  };
  for (const auto shared : {Contention::kPorts, Contention::kHalfDuplex}) {
    CHECK(last_start(problem(shared)) == 8);
    CHECK(exhaustive_best(problem(shared)).score.step_ps == to_picoseconds(9));
  }
}

TEST_CASE("ops on one device take turns, as many at once as it has slots") {
  const auto problem = [](std::int64_t slots) {
    return Problem(
        graph_of({only_on("a", 2, "gpu:1"), only_on("b", 3, "gpu:1"), only_on("join", 1, "gpu:0")},
                 {tensor(0, {2}, 1), tensor(1, {2}, 1)}),
        alike({.slots = slots}));
  };
  CHECK(last_start(problem(1)) == 6);
  CHECK(last_start(problem(2)) == 4);
}

}  // namespace
}  // namespace placer::testing
