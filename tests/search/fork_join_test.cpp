// Of the lower bounds, the one of forks and joins.
#include <catch2/catch.hpp>

#include "placer/search/bounds.hpp"
#include "support/exhaustive.hpp"
#include "support/problems.hpp"

namespace placer::testing {
namespace {

TEST_CASE("producers whose outputs arrive late from elsewhere run one after the other") {
  // Four ops of 1 s before op4, each output 10 s away from the other device: all five on one.
  const Problem problem(
      graph_of(seconds_each({1, 1, 1, 1, 1}),
               {tensor(0, {4}, 10), tensor(1, {4}, 10), tensor(2, {4}, 10), tensor(3, {4}, 10)}),
      alike());
  const LowerBounds bounds = lower_bounds(problem);
  CHECK(bounds.device_path_ps == to_picoseconds(2));
  CHECK(bounds.load_ps == to_picoseconds(3));
  CHECK(bounds.fork_join_ps == to_picoseconds(5));
  CHECK(best_bound(bounds).name == "B3");
}

TEST_CASE("branches of several ops that are far from elsewhere run one after the other") {
  // op0 before op1 -> op3 and op2 -> op4, op5 after both; 10 s between devices: all six on one.
  const Problem problem(graph_of(seconds_each({1, 1, 1, 1, 1, 1}),
                                 {tensor(0, {1, 2}, 10), tensor(1, {3}, 10), tensor(2, {4}, 10),
                                  tensor(3, {5}, 10), tensor(4, {5}, 10)}),
                        alike());
  CHECK(lower_bounds(problem).fork_join_ps == to_picoseconds(6));
}

TEST_CASE("the op of a branch that is done elsewhere first brings the join forward") {
  // As above, but 2 s between devices: op1 and op3 elsewhere arrive at 1 + 2 + 2 s if op0 ran
  // there, and op2 then starts here at 3 s and op4 is done at 5 s.
  const Problem problem(graph_of(seconds_each({1, 1, 1, 1, 1, 1}),
                                 {tensor(0, {1, 2}, 2), tensor(1, {3}, 2), tensor(2, {4}, 2),
                                  tensor(3, {5}, 2), tensor(4, {5}, 2)}),
                        alike());
  const Picoseconds best_ps = exhaustive_best(problem).score.step_ps;
  CHECK(best_ps == to_picoseconds(6));
  CHECK(lower_bounds(problem).fork_join_ps == best_ps);
}

TEST_CASE("where outputs arrive in 2 s a join waits for two of four producers") {
  // At 2 s two producers can have run here and two have not yet arrived (1 + 2 s); at 3 s they
  // have.
  const Problem problem(
      graph_of(seconds_each({1, 1, 1, 1, 1}),
               {tensor(0, {4}, 2), tensor(1, {4}, 2), tensor(2, {4}, 2), tensor(3, {4}, 2)}),
      alike());
  CHECK(lower_bounds(problem).fork_join_ps == to_picoseconds(4));
}

TEST_CASE("consumers that would end the step too late elsewhere run one after the other") {
  const Problem problem(graph_of(seconds_each({1, 1, 1, 1, 1}), {tensor(0, {1, 2, 3, 4}, 10)}),
                        alike());
  CHECK(lower_bounds(problem).fork_join_ps == to_picoseconds(5));
}

TEST_CASE("two slots share the producers that have to run beside a join") {
  const Problem problem(
      graph_of(seconds_each({1, 1, 1, 1, 1}),
               {tensor(0, {4}, 10), tensor(1, {4}, 10), tensor(2, {4}, 10), tensor(3, {4}, 10)}),
      alike({.slots = 2}));
  CHECK(lower_bounds(problem).fork_join_ps == to_picoseconds(3));
}

}  // namespace
}  // namespace placer::testing
