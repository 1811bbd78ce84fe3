// Baechi's schedulers and what they stand on: kept bytes, favourite children.
#include <algorithm>
#include <catch2/catch.hpp>

#include "search/lists/favourite_children.hpp"
#include "search/lists/linear_program.hpp"
#include "search/lists/rules.hpp"
#include "support/problems.hpp"
#include "support/scheduling_data.hpp"
#include "support/skipped.hpp"

namespace placer::testing {
namespace {

Problem sized(const std::vector<std::int64_t>& params_bytes, std::int64_t memory_bytes) {
  return holding(params_bytes, {.memory_bytes = memory_bytes});
}

TEST_CASE("kept bytes that the rule's own order would overflow are packed by a search") {
  // In order of ids (equal ranks) 5 and 5 go apart, 4 and 4 too, and 2 has no room. 5 + 5 and
  // 4 + 4 + 2 fit; with 3 instead of 2 nothing does.
  CHECK_FALSE(list_schedule(sized({5, 5, 4, 4, 2}, 10), {}).overflows());
  CHECK(run_optimizer(sized({5, 5, 4, 4, 2}, 10), "heft").score.overflow_bytes == 0);
  CHECK(list_schedule(sized({5, 5, 4, 4, 3}, 10), {}).overflows());
}

TEST_CASE("no list schedule overflows with kept bytes where any placement would fit") {
  const Rng rng(11);
  int tight = 0;
  for (std::size_t i = 0; i < 60; ++i) {
    Rng draws = rng.stream("packing", i);
    std::vector<std::int64_t> bytes(7);
    std::int64_t all_bytes = 0;
    for (std::int64_t& size : bytes) all_bytes += size = static_cast<std::int64_t>(draws.below(9));
    const std::int64_t memory_bytes = (all_bytes + 1) / 2 + static_cast<std::int64_t>(i % 2);
    bool fit = false;
    for (std::size_t first = 0; first < 128; ++first) {  // the ops on gpu:0, as bits
      std::int64_t held = 0;
      for (std::size_t op = 0; op < 7; ++op) held += (first >> op & 1) != 0 ? bytes[op] : 0;
      fit = fit || (held <= memory_bytes && all_bytes - held <= memory_bytes);
    }
    tight += fit ? 1 : 0;
    const Problem problem = sized(bytes, memory_bytes);
    for (const ListRule& rule : portfolio_rules()) {
      REQUIRE(list_schedule(problem, rule).overflows() == !fit);
    }
    REQUIRE(run_optimizer(problem, "m-sct").score.fits() == fit);
  }
  CHECK(tight > 40);
  CHECK(tight < 60);
}

TEST_CASE("m-topo gives each device an even share of the bytes, in program order") {
  // 4 ops of 2 bytes: an even share is 4 bytes, plus the largest group 6: a, b, c and then d.
  CHECK(run_optimizer(sized({2, 2, 2, 2}, 100), "m-topo").placement == on_devices({0, 0, 0, 1}));
}

TEST_CASE("m-topo moves on when a device is full and packs anew what has no room at the end") {
  // 4 + 4 leave no room for the first 5 on gpu:0, so 5 + 5 fill gpu:1 and 1, 1 have no room there.
  CHECK(run_optimizer(sized({4, 4, 5, 5, 1, 1}, 10), "m-topo").placement ==
        on_devices({0, 0, 1, 1, 0, 0}));
}

TEST_CASE("m-topo leaves a device out that is more than twice as slow as the fastest") {
  const Problem problem = costed({{1, 3, 2}, {1, 3, 2}}, {});
  const Placement placement = run_optimizer(problem, "m-topo").placement;
  CHECK(std::ranges::count(placement.devices, DeviceId(1)) == 0);
}

TEST_CASE("m-etf counts activations where ETF counts parameters only") {
  // a -> b -> c in 3 s, outputs of 6 bytes, 12 in all; moving one costs 6 s. ETF stays on gpu:0.
  const Problem problem(graph_of({timed_op("a", 1), timed_op("b", 1), timed_op("c", 1)},
                                 {tensor(0, {1}, 6), tensor(1, {2}, 6)}),
                        alike({.memory_bytes = 11}));
  CHECK(run_optimizer(problem, "etf").placement == on_devices({0, 0, 0}));
  CHECK(run_optimizer(problem, "m-etf").placement == on_devices({0, 1, 1}));
}

TEST_CASE("favourite children along paths make the longest path short, one for each op") {
  // a -> b (transfer 5), a -> c (3), b -> d (2), c -> d (4), 1 s each. Longest: a b d with 10; its
  // edges are chosen. Then a c d has 10 and no free edge: a and d are taken.
  const Problem problem(
      graph_of({timed_op("a", 1), timed_op("b", 1), timed_op("c", 1), timed_op("d", 1)},
               {tensor(0, {1}, 5), tensor(0, {2}, 3), tensor(1, {3}, 2), tensor(2, {3}, 4)}),
      alike());
  CHECK(favourites_along_paths(problem, mean_costs(problem)) ==
        std::vector<std::optional<OpId>>{OpId(1), OpId(3), {}, {}});
}

TEST_CASE("the linear program saves the transfer that the longest path takes another way round") {
  // s -> x (6 s), x -> z (1), y -> z (5), 1 s each. Along paths: s x z with 10 is the longest, so z
  // follows x, and y z keeps 7. The program: s -> x is saved whole, a + b = 1 of the two into z
  // cost 3 + a and 2 + 5 b, least at a = 2/3 and b = 1/3, which is rounded to saved.
  const Problem problem(
      graph_of({timed_op("s", 1), timed_op("x", 1), timed_op("y", 1), timed_op("z", 1)},
               {tensor(0, {1}, 6), tensor(1, {3}, 1), tensor(2, {3}, 5)}),
      alike());
  const MeanCosts costs = mean_costs(problem);
  CHECK(favourites_along_paths(problem, costs) == FavouriteChildren{OpId(1), OpId(3), {}, {}});
  const std::optional<FavouriteChildren> found = favourites_by_program(problem, costs);
  if (!LinearProgram::solvable()) {
    CHECK(!found);
    CHECK_THROWS_AS(run_optimizer(problem, "m-sct", {{"favourites", "linear-program"}}), Error);
    skip("this build is without CLP");
    return;
  }
  CHECK(found == FavouriteChildren{OpId(1), {}, OpId(3), {}});
}

TEST_CASE("a linear program that takes more steps than allowed has no answer") {
  // x + y at least 3, x at most 1: y is 2, which takes a step.
  LinearProgram program;
  const int x = program.add_variable(1, 0, 1), y = program.add_variable(2, 0, 9);
  program.add_row(std::vector<LinearProgram::Term>{{x, 1}, {y, 1}}, 3);
  CHECK(!program.solve(0));
  if (!LinearProgram::solvable()) return;
  const std::optional<LinearProgram::Solution> solution = program.solve(10);
  REQUIRE(solution);
  CHECK(solution->values[0] == Approx(1));
  CHECK(solution->values[1] == Approx(2));
  REQUIRE(solution->prices.size() == 1);
  CHECK(solution->prices[0] == Approx(2));  // one more than 3 costs one more y
}

TEST_CASE("m-sct keeps a device free for the favourite child of its last op, m-etf does not") {
  // a (1 s, gpu:0) sends 10 bytes to f (1 s) and to o (4 s); f also waits for x (2 s, gpu:1) and is
  // followed by g (5 s, gpu:1). The longest path is a f g. m-etf: o 1-5 on gpu:0, f 5-6, g 6-11.
  // m-sct: gpu:0 waits, f 2-3, g 3-8, o 3-7.
  std::vector<Op> ops{timed_op("a", 1), timed_op("x", 2), timed_op("f", 1), timed_op("o", 4),
                      timed_op("g", 5)};
  ops[0].devices = {"gpu:0"};
  ops[1].devices = ops[4].devices = {"gpu:1"};
  const Problem problem(
      graph_of(ops, {tensor(0, {2}, 10), tensor(0, {3}, 10), tensor(1, {2}, 0), tensor(2, {4}, 0)}),
      alike());
  CHECK(run_optimizer(problem, "m-etf").schedule_ps == to_picoseconds(11));
  CHECK(run_optimizer(problem, "m-sct").schedule_ps == to_picoseconds(8));
}

}  // namespace
}  // namespace placer::testing
