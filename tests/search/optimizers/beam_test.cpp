#include <catch2/catch.hpp>

#include "placer/search/optimizer.hpp"
#include "support/problems.hpp"
#include "support/scheduling_data.hpp"

namespace placer::testing {
namespace {

SearchResult beam_of(const Problem& problem, std::int64_t width) {
  return run_optimizer(problem, "beam", {{"width", width}});
}

//   a takes 2 s on gpu:0 and 1 s on gpu:1; b may only go to gpu:0, 5 s of transfer away.
TEST_CASE("a beam of two sees past an early end that a list scheduler falls for") {
  std::vector<Op> ops{timed_apart("a", 2, 1), timed_op("b", 1)};
  ops[1].devices = {"gpu:0"};
  const Problem problem(graph_of(ops, {tensor(0, {1}, 5)}), alike());
  CHECK(beam_of(problem, 1).score.step_ps == to_picoseconds(7));
  CHECK(beam_of(problem, 2).score.step_ps == to_picoseconds(3));
}

TEST_CASE("no beam is worse than the list schedule that it contains") {
  Rng rng(41);
  for (int round = 0; round < 40; ++round) {
    const Problem problem = random_problem(rng);
    INFO("problem " << round);
    CHECK(beam_of(problem, 6).score <= beam_of(problem, 1).score);
  }
}

TEST_CASE("of alike idle devices a beam tries one, so that three places hold three schedules") {
  // Two ops on three alike devices: together or apart, and nothing else.
  const Problem problem(graph_of({timed_op("a", 1), timed_op("b", 1)}, {}), alike({.devices = 3}));
  CHECK(beam_of(problem, 10).evaluations == 2);
}

TEST_CASE("on the published ten-task example a beam of 200 beats the published 80") {
  CHECK(beam_of(published_example().problem, 200).score.step_ps < to_picoseconds(80));
}

TEST_CASE("a beam of two weighs the work to come, so that no device is idle at the end") {
  // 2, 1, 4 and 2 s at best on two devices. The longest (4 s) with b, which takes 1 s beside it and
  // 4 s on the other, a and d (2 s each) apart from them: 5 s. The list schedule takes 6 s.
  const Problem problem = costed({{2, 2}, {4, 1}, {4, 4}, {2, 3}}, {});
  CHECK(beam_of(problem, 1).score.step_ps == to_picoseconds(6));
  CHECK(beam_of(problem, 2).score.step_ps == to_picoseconds(5));
}

}  // namespace
}  // namespace placer::testing
