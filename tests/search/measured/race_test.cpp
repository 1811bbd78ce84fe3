#include "placer/search/race.hpp"

#include <catch2/catch.hpp>

#include "placer/base/rng.hpp"

namespace placer {
namespace {

/// A machine whose runs take so many seconds, give or take up to `noise` of them.
struct NoisyMachine {
  std::vector<double> seconds;
  double noise = 0;
  Rng rng = Rng(1);
  std::size_t runs = 0;

  RunRacer runner() {
    return [this](std::size_t racer, std::size_t) {
      ++runs;
      return RaceRun{seconds[racer] * (1 + noise * (2 * rng.uniform() - 1))};
    };
  }
};

TEST_CASE("Who was taken out comes back where those that were faster cannot run after all") {
  // 0 and 1 run six times and fail then; 2 and 3 were out after five.
  const std::vector<double> seconds = {1, 1, 3, 2};
  const RunRacer run = [&](std::size_t racer, std::size_t number) {
    return racer < 2 && number == 6 ? RaceRun{} : RaceRun{seconds[racer]};
  };
  const RaceResult result = race(4, run);
  REQUIRE(result.first);
  CHECK(*result.first == 3);
  CHECK_FALSE(result.is_decided);
  CHECK(result.racers[0].fate == RaceFate::kFailed);
  CHECK(result.racers[2].fate == RaceFate::kLeft);
  CHECK(result.racers[3].fate == RaceFate::kFirst);
  CHECK(result.racers[2].seconds.size() == 5);
}

TEST_CASE("Five pairs that are all slower have a chance of one in 32") {
  CHECK(signed_rank_p_value({2, 2, 2, 2, 2}, {1, 1, 1, 1, 1}) == 1.0 / 32);
  CHECK(signed_rank_p_value({1, 1, 1, 1, 1}, {2, 2, 2, 2, 2}) == 1);
}

TEST_CASE("Of three pairs the farthest below: five of the eight signs are as far or farther") {
  // Ratios 1.1, 1.2 and 1 / 1.5: rank 3 is below, as much as in {}, {1}, {2}, {3} and {1, 2}.
  CHECK(signed_rank_p_value({1.1, 1.2, 1}, {1, 1, 1.5}) == 5.0 / 8);
}

TEST_CASE("Equal distances share their ranks and equal pairs are left out") {
  // Ranks 1.5 and 1.5, one of them below: {}, and either one, are three of four.
  CHECK(signed_rank_p_value({2, 1, 7}, {1, 2, 7}) == 3.0 / 4);
  CHECK(signed_rank_p_value({7}, {7}) == 1);
  CHECK(signed_rank_p_value({}, {}) == 1);
}

TEST_CASE("Clear differences are decided with five runs of each") {
  NoisyMachine machine{{1.2, 1.0, 1.4}, 0};
  const RaceResult result = race(3, machine.runner());
  REQUIRE(result.first == 1u);
  CHECK(result.is_decided);
  CHECK(machine.runs == 15);
  CHECK(result.racers[0].fate == RaceFate::kSlower);
  CHECK(result.racers[0].p_value == 1.0 / 32);
  CHECK(result.racers[1].fate == RaceFate::kFirst);
  CHECK(result.racers[1].seconds == std::vector<double>(5, 1.0));
  CHECK(result.noise == 0);
}

TEST_CASE("On a noisy machine the fastest of near ones wins, and far ones leave early") {
  NoisyMachine machine{{1.10, 1.00, 2.0, 3.0}, 0.1};
  const RaceResult result = race(4, machine.runner(), {.most_runs = 30});
  REQUIRE(result.first == 1u);
  CHECK(result.is_decided);
  CHECK(result.racers[2].seconds.size() == 5);
  CHECK(result.racers[3].seconds.size() == 5);
  CHECK(result.noise > 0.02);
  CHECK(result.noise < 0.1);
}

TEST_CASE("Equal racers run as often as allowed and nothing is decided") {
  NoisyMachine machine{{1, 1}, 0};
  const RaceResult result = race(2, machine.runner(), {.most_runs = 7});
  CHECK(result.first == 0u);
  CHECK_FALSE(result.is_decided);
  CHECK(machine.runs == 14);
  CHECK(result.racers[1].fate == RaceFate::kLeft);
  CHECK(result.racers[1].p_value == 1);
}

TEST_CASE("Who cannot run is out, and a racer alone runs once") {
  const RaceResult result =
      race(2, [](std::size_t racer, std::size_t) { return racer == 0 ? RaceRun{} : RaceRun{3.0}; });
  CHECK(result.first == 1u);
  CHECK(result.is_decided);
  CHECK(result.racers[0].fate == RaceFate::kFailed);
  CHECK(result.racers[1].seconds == std::vector<double>{3});
}

TEST_CASE("Nobody that can run means nobody is first") {
  const RaceResult result = race(2, [](std::size_t, std::size_t) { return RaceRun{}; });
  CHECK_FALSE(result.first);
  CHECK_FALSE(result.is_decided);
  CHECK(result.racers[1].fate == RaceFate::kFailed);
}

TEST_CASE("Where nothing more may be measured the least median so far is first") {
  std::size_t runs = 0;
  const RaceResult result = race(3, [&](std::size_t racer, std::size_t) -> std::optional<RaceRun> {
    if (runs++ == 2) return std::nullopt;
    return RaceRun{racer == 0 ? 2.0 : 1.0};
  });
  CHECK(result.first == 1u);
  CHECK_FALSE(result.is_decided);
  CHECK(result.racers[0].fate == RaceFate::kLeft);
  CHECK(result.racers[2].fate == RaceFate::kUnmeasured);
}

TEST_CASE("Who has run already is first where there is no time for anybody else") {
  const RaceResult result = race(3, [](std::size_t racer, std::size_t) -> std::optional<RaceRun> {
    if (racer != 1) return std::nullopt;
    return RaceRun{1.0};
  });
  CHECK(result.first == 1u);
  CHECK_FALSE(result.is_decided);
  CHECK(result.racers[0].fate == RaceFate::kUnmeasured);
  CHECK(result.racers[1].seconds.size() == 1);
}

TEST_CASE("Each round begins with another racer") {
  std::vector<std::size_t> order;
  race(3,
       [&](std::size_t racer, std::size_t) {
         order.push_back(racer);
         return RaceRun{1.0};
       },
       {.most_runs = 2});
  CHECK(order == std::vector<std::size_t>{0, 1, 2, 1, 2, 0});
}

TEST_CASE("The noise of runs 9, 10 and 11 is 1.4826 tenths") {
  Racer racer;
  racer.seconds = {9, 10, 11};
  // Distances 0.1, 0 and 0.1 from the median 10.
  CHECK(noise_floor({racer}) == Approx(0.14826));
  racer.seconds = {9};
  CHECK(noise_floor({racer}) == 0);
}

}  // namespace
}  // namespace placer
