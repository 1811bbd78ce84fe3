#include <catch2/catch.hpp>
#include <vector>

#include "search/core/evaluators.hpp"
#include "support/problems.hpp"

namespace placer::testing {
namespace {

TEST_CASE("four threads score placements in every order as one does, again and again") {
  const Rng seed(41);
  for (const Order order : kAllOrders) {
    CAPTURE(name_of(order));
    for (std::size_t i = 0; i < 12; ++i) {
      Rng rng = seed.stream("threads", i);
      const Problem problem = random_problem(rng, {.most_ops = 300});
      Evaluators one(problem, order, 1), four(problem, order, 4);
      for (int repeat = 0; repeat < 3; ++repeat) {
        std::vector<Placement> placements;
        for (int k = 0; k < 40; ++k) placements.push_back(testing::random_placement(problem, rng));
        const auto skip = [](std::size_t index) { return index == 37; };
        const std::vector<Score> scores = four.all(placements, {}, skip);
        CHECK(scores.size() == 37);
        CHECK(scores == one.all(placements, {}, skip));
      }
    }
  }
}

}  // namespace
}  // namespace placer::testing
