// The lower bound of forks and joins.
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

TEST_CASE("what goes round a block delays what goes into it over the same channel") {
  // op0 before op1 and op5; op1 before op2 and op3 (5 s each), both before op4 before op5. Where
  // op4 and op5 run elsewhere than op0, the 3 s of op0's output come before op1's for op2 or op3;
  // each op for itself would be done in 16 s.
  const Problem problem(graph_of(seconds_each({1, 1, 5, 5, 5, 1}),
                                 {tensor(0, {1, 5}, 3), tensor(1, {2, 3}, 3), tensor(2, {4}, 3),
                                  tensor(3, {4}, 3), tensor(4, {5}, 3)}),
                        alike());
  CHECK(exhaustive_best(problem).score.step_ps == to_picoseconds(18));
  CHECK(lower_bounds(problem).fork_join_ps == to_picoseconds(18));
}

TEST_CASE("without contention nothing waits for what goes round a block") {
  const Problem problem(graph_of(seconds_each({1, 1, 5, 5, 5, 1}),
                                 {tensor(0, {1, 5}, 3), tensor(1, {2, 3}, 3), tensor(2, {4}, 3),
                                  tensor(3, {4}, 3), tensor(4, {5}, 3)}),
                        alike({.contention = Contention::kNone}));
  CHECK(exhaustive_best(problem).score.step_ps == to_picoseconds(16));
  CHECK(lower_bounds(problem).fork_join_ps == to_picoseconds(16));
}

TEST_CASE("branches agree on where the op before them ran") {
  // op0's two outputs go to op1 and op2 (4 s each), op3 after both: one of op1 and op2 pays 3 s on
  // its way from op0 or on its way to op3.
  const Problem problem(
      graph_of(seconds_each({1, 4, 4, 1}),
               {tensor(0, {1}, 3), tensor(0, {2}, 3), tensor(1, {3}, 1), tensor(2, {3}, 1)}),
      alike());
  CHECK(exhaustive_best(problem).score.step_ps == to_picoseconds(9));
  CHECK(lower_bounds(problem).fork_join_ps == to_picoseconds(9));
}

TEST_CASE("blocks like the first are as late as it is") {
  // Four of the blocks above, one after the other.
  std::vector<double> seconds{1};
  std::vector<Tensor> tensors;
  for (std::size_t first = 0; first < 20; first += 5) {
    seconds.insert(seconds.end(), {1, 5, 5, 5, 1});
    tensors.push_back(tensor(first, {first + 1, first + 5}, 3));
    tensors.push_back(tensor(first + 1, {first + 2, first + 3}, 3));
    for (const std::size_t op : {first + 2, first + 3})
      tensors.push_back(tensor(op, {first + 4}, 3));
    tensors.push_back(tensor(first + 4, {first + 5}, 3));
  }
  const Problem problem(graph_of(seconds_each(seconds), std::move(tensors)), alike());
  CHECK(lower_bounds(problem).fork_join_ps == to_picoseconds(1 + 4 * 17));
}

TEST_CASE("a block like the first but for one tensor has its own delay") {
  // Two of the blocks above; what goes round the second one moves no bytes.
  std::vector<Tensor> tensors;
  for (const std::size_t first : {0, 5}) {
    tensors.push_back(tensor(first, {first + 5}, first == 0 ? 3 : 0));
    tensors.push_back(tensor(first, {first + 1}, 3));
    tensors.push_back(tensor(first + 1, {first + 2, first + 3}, 3));
    tensors.push_back(tensor(first + 2, {first + 4}, 3));
    tensors.push_back(tensor(first + 3, {first + 4}, 3));
    tensors.push_back(tensor(first + 4, {first + 5}, 3));
  }
  const Problem problem(graph_of(seconds_each({1, 1, 5, 5, 5, 1, 1, 5, 5, 5, 1}), tensors),
                        alike());
  const Picoseconds best_ps = exhaustive_best(problem).score.step_ps;
  CHECK(best_ps == to_picoseconds(1 + 17 + 15));
  CHECK(lower_bounds(problem).fork_join_ps == best_ps);
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
