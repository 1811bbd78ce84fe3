// Claims of hill climbing, the genetic algorithm, round robin and the single device.
#include <catch2/catch.hpp>

#include "support/exhaustive.hpp"
#include "support/problems.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

TEST_CASE("hill climbing and the genetic algorithm find the optimum of small problems") {
  Rng rng(41);
  for (int round = 0; round < 6; ++round) {
    const Problem problem =
        random_problem(rng, {.most_ops = 6, .most_devices = 3, .limits = false});
    const Score best = exhaustive_best(problem, Order::kFifo).score;
    for (const char* name : {"hill-climb", "genetic"}) {
      INFO(name << ", problem " << round);
      REQUIRE(run_search(problem, request_for(name, 4000)).score == best);
    }
  }
}

TEST_CASE("a hill climb from the single device is never worse than it") {
  Rng rng(43);
  for (int round = 0; round < 20; ++round) {
    const Problem problem = random_problem(rng);
    REQUIRE(run_search(problem, request_for("hill-climb", 40)).score <=
            run_search(problem, request_for("single-device", 40)).score);
  }
}

TEST_CASE("round robin splits four equal ops between two devices") {
  std::vector<Op> ops;
  for (int i = 0; i < 4; ++i) ops.push_back(timed_op("op" + std::to_string(i), 1));
  const SearchResult result =
      run_search(Problem(graph_of(ops, {}), alike()), request_for("round-robin", 10));
  REQUIRE(result.placement == on_devices({0, 1, 0, 1}));
  REQUIRE(to_seconds(result.score.step_ps) == 2);
}

TEST_CASE("the single device is the fastest that fits, and identical ones are tried once") {
  const SearchResult fast = run_search(fast_and_slow(3), request_for("single-device", 10));
  REQUIRE(fast.placement == on_devices({0, 0, 0}));
  REQUIRE(fast.evaluations == 2);
  REQUIRE(run_search(Problem(chain(3), alike()), request_for("single-device", 10)).evaluations ==
          1);
}

TEST_CASE("a gain gives a hill climb all of its patience again") {
  // One op, 1 s on gpu:0 and 2 s on gpu:1, patience for one move: a climb from gpu:1 gains 1 s and
  // still looks back, 2 s, before the next begins, which needs 2 s more to gain again.
  SearchRequest request = request_for("hill-climb", 60);
  request.options["patience"] = std::int64_t{1};
  request.keeps_scores = true;
  const std::vector<Score> scores = run_search(fast_and_slow(), request).scores;
  int gains = 0;
  for (std::size_t i = 0; i + 2 < scores.size(); ++i) {
    if (scores[i].step_ps != to_picoseconds(1)) continue;
    ++gains;
    CHECK(scores[i + 1].step_ps == to_picoseconds(2));
    CHECK(scores[i + 2].step_ps == to_picoseconds(2));
  }
  CHECK(gains > 10);
}

}  // namespace
}  // namespace placer::testing
