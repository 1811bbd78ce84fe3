#include <array>
#include <catch2/catch.hpp>
#include <optional>
#include <vector>

#include "placer/search/run.hpp"
#include "support/problems.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

/// Runs `walks` as an optimizer on a chain of 60 ops of 1 second with 1 second between devices.
SearchResult search_chain(void (*walks)(Search&)) {
  return search_with(Problem(chain(60), alike({.devices = 3})), walks, 1000);
}

/// The score of a walk that moves `op` to `device`.
Score proposed(Walk& walk, std::size_t op, std::size_t device) {
  const std::array<Move, 1> move = {Move{GroupId(op), DeviceId(device)}};
  const std::optional<Score> score = walk.propose(move);
  REQUIRE(score);
  return *score;
}

Score seconds(double step_seconds) { return {0, to_picoseconds(step_seconds)}; }

TEST_CASE("A walk goes on from what it has accepted", "[walk]") {
  search_chain([](Search& search) {
    std::optional<Walk> walk = search.walk(*search.problem().all_on(DeviceId(0)));
    CHECK((proposed(*walk, 20, 1) == seconds(62)));
    CHECK((proposed(*walk, 21, 1) == seconds(62)));
    walk->accept();
    CHECK((walk->score() == seconds(62)));
    CHECK((proposed(*walk, 20, 1) == seconds(62)));
    CHECK((proposed(*walk, 40, 1) == seconds(64)));
    CHECK((proposed(*walk, 21, 0) == seconds(60)));
  });
}

TEST_CASE("Where memory is in doubt a walk wants scores up to a step time only", "[walk]") {
  search_with(
      Problem(chain(60), alike({.memory_bytes = 10})),  // all outputs together have 59 bytes
      [](Search& search) {
        std::optional<Walk> walk = search.walk(*search.problem().all_on(DeviceId(0)));
        const std::array<Move, 1> move = {Move{GroupId(20), DeviceId(1)}};
        CHECK((*walk->propose(move) == seconds(62)));
        CHECK(
            (*walk->propose(move, {}, to_picoseconds(60)) == Score::too_long(to_picoseconds(62))));
        CHECK((*walk->propose(move, {}, to_picoseconds(62)) == seconds(62)));
        CHECK((search.best_score() == seconds(60)));
      },
      1000);
}

TEST_CASE("As long as the best does not fit all scores are whole", "[walk]") {
  search_with(
      Problem(chain(3, 10), alike({.memory_bytes = 15})),
      [](Search& search) {
        std::optional<Walk> walk = search.walk(*search.problem().all_on(DeviceId(0)));
        const std::array<Move, 1> move = {Move{GroupId(2), DeviceId(1)}};
        const std::optional<Score> score = walk->propose(move, {}, 0);
        CHECK(walk->score().overflow_bytes == 5);
        CHECK(
            (*score == Simulator(search.problem(), Order::kFifo).evaluate(on_devices({0, 0, 1}))));
      },
      1000);
}

TEST_CASE("Two walks of a search do not disturb each other", "[walk]") {
  search_chain([](Search& search) {
    std::optional<Walk> one = search.walk(*search.problem().all_on(DeviceId(0)));
    std::optional<Walk> other = search.walk(*search.problem().all_on(DeviceId(1)));
    CHECK((proposed(*one, 20, 1) == seconds(62)));
    CHECK((proposed(*other, 20, 0) == seconds(62)));
    one->accept();
    CHECK((proposed(*one, 40, 2) == seconds(64)));
    other->accept();
    one->accept();
    CHECK((proposed(*other, 20, 2) == seconds(62)));
    CHECK((proposed(*other, 20, 1) == seconds(60)));
    CHECK((proposed(*one, 20, 2) == seconds(64)));
    CHECK((proposed(*one, 20, 0) == seconds(62)));
  });
}

TEST_CASE("The best placement of a walk scores as it does in a simulator", "[walk]") {
  const Rng seed(26);
  for (std::size_t i = 0; i < 20; ++i) {
    Rng rng = seed.stream("walks", i);
    const Problem problem = random_problem(rng, {.most_ops = 100, .many_slots = false});
    const SearchResult result = run_search(problem, request_for("hill-climb", 300));
    Simulator simulator(problem, Order::kFifo);
    CHECK((simulator.evaluate(result.placement) == result.score));
  }
}

}  // namespace
}  // namespace placer::testing
