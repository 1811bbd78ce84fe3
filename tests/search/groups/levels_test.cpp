#include "search/groups/levels.hpp"

#include <catch2/catch.hpp>

#include "support/problems.hpp"

namespace placer::testing {
namespace {

/// `layers` times a split into two branches of one op each and a join; every op takes 1 s.
Problem ladder(std::size_t layers) {
  std::vector<Op> ops = {timed_op("join0", 1)};
  std::vector<Tensor> tensors;
  for (std::size_t layer = 0; layer < layers; ++layer) {
    const std::size_t before = 3 * layer;
    for (const std::string type : {"left", "right", "join"}) {
      ops.push_back(timed_op(type + std::to_string(layer + 1), 1));
      ops.back().type = type;
    }
    tensors.push_back(tensor(before, {before + 1}, 1));
    tensors.push_back(tensor(before, {before + 2}, 1));
    tensors.push_back(tensor(before + 1, {before + 3}, 1));
    tensors.push_back(tensor(before + 2, {before + 3}, 1));
  }
  return Problem(graph_of(std::move(ops), std::move(tensors)), alike({.bytes_per_second = 100}));
}

TEST_CASE("each coarse level is a union of groups of the level before") {
  const Problem problem = ladder(50);  // 151 groups
  const std::vector<Problem> levels = coarse_levels(problem, 10, 3);
  REQUIRE(levels.size() >= 2);
  const Problem* finer = &problem;
  for (const Problem& level : levels) {
    CHECK(level.groups().size() < finer->groups().size());
    for (const GroupId group : IdRange<GroupId>(finer->groups().size())) {
      const auto ops = finer->groups().ops(group);
      for (const OpId op : ops) CHECK(level.groups().of(op) == level.groups().of(ops.front()));
    }
    finer = &level;
  }
  CHECK(levels.back().groups().size() <= 15);
}

TEST_CASE("coarse levels that keep a placement can all express it") {
  const Problem problem = ladder(50);
  Placement keep;
  for (std::size_t group = 0; group < problem.groups().size(); ++group) {
    keep.devices.emplace_back(group / 7 % 2);
  }
  for (const Problem& level : coarse_levels(problem, 10, 3, &keep)) {
    for (const GroupId group : IdRange<GroupId>(level.groups().size())) {
      const auto ops = level.groups().ops(group);
      for (const OpId op : ops) {
        CHECK(keep[problem.groups().of(op)] == keep[problem.groups().of(ops.front())]);
      }
    }
  }
}

}  // namespace
}  // namespace placer::testing
