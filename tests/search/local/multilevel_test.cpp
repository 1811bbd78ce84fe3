// Rounds of annealing from few groups to all.
#include "search/local/multilevel.hpp"

#include <catch2/catch.hpp>

#include "placer/search/run.hpp"
#include "placer/sim/simulator.hpp"
#include "search/core/ledger.hpp"
#include "search/groups/levels.hpp"
#include "support/problems.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

/// 40 chains of 10 ops of 1 s each that have nothing to do with each other; 5 s from op to op where
/// they are on different devices.
Problem chains() {
  std::vector<Op> ops = seconds_each(std::vector<double>(400, 1));
  std::vector<Tensor> tensors;
  for (std::size_t op = 0; op + 1 < 400; ++op) {
    if (op % 10 != 9) tensors.push_back(tensor(op, {op + 1}, 5));
  }
  return Problem(graph_of(std::move(ops), std::move(tensors)), alike());
}

SearchResult refined(const Problem& problem, std::int64_t evaluations) {
  const auto from_one_device = [](Search& search) {
    if (!search.evaluate(*search.problem().all_on(DeviceId(0)))) return;
    for (int left = 4; left > 0 && !search.spent(); --left) {
      Search part = search.part(1.0 / left);
      improve_levels(part);
    }
  };
  return search_with(problem, from_one_device, evaluations);
}

TEST_CASE("rounds of levels share out chains that no op of their own leaves") {
  CHECK(refined(chains(), 3000).score.step_ps == to_picoseconds(200));
}

TEST_CASE("rounds of levels keep to the budget and never lose the best") {
  Rng rng(5);
  for (int i = 0; i < 10; ++i) {
    const Problem problem = random_problem(rng, {.limits = false});
    const Score one_device = refined(problem, 1).score;
    const SearchResult found = refined(problem, 200);
    CHECK(found.score <= one_device);
    CHECK(found.evaluations <= 200);
    CHECK(refined(problem, 200).placement == found.placement);
  }
}

TEST_CASE("a placement of few merged groups scores the same in the groups that they merge") {
  Rng rng(6);
  for (int i = 0; i < 10; ++i) {
    const Problem problem = random_problem(rng, {.most_ops = 60});
    for (const Problem& level : coarse_levels(problem, 4, 2)) {
      const Placement coarse = random_placement(level, rng);
      const std::optional<Placement> fine = regroup(level, coarse, problem);
      REQUIRE(fine);
      CHECK(Simulator(problem, Order::kFifo).evaluate(*fine) ==
            Simulator(level, Order::kFifo).evaluate(coarse));
    }
  }
}

}  // namespace
}  // namespace placer::testing
