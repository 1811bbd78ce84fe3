// Claims of annealing, tabu search, large neighbourhood search and random keys.
#include <catch2/catch.hpp>

#include "placer/sim/simulator.hpp"
#include "support/exhaustive.hpp"
#include "support/problems.hpp"
#include "support/scheduling_data.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

SearchResult search_orders(const char* name, const Problem& problem, std::int64_t evaluations) {
  SearchRequest request = request_for(name, evaluations);
  request.order = Order::kGiven;
  return run_search(problem, request);
}

TEST_CASE("walks and random keys find the optimum of small problems") {
  Rng rng(41);
  for (int round = 0; round < 6; ++round) {
    const Problem problem =
        random_problem(rng, {.most_ops = 6, .most_devices = 3, .limits = false});
    const Score best = exhaustive_best(problem, Order::kFifo).score;
    for (const char* name : {"anneal", "tabu", "lns", "brkga"}) {
      INFO(name << ", problem " << round);
      REQUIRE(run_search(problem, request_for(name, 4000)).score == best);
    }
  }
}

TEST_CASE("walks are never worse than their start") {
  Rng rng(44);
  for (int round = 0; round < 20; ++round) {
    const Problem problem = random_problem(rng);
    for (const char* name : {"anneal", "tabu", "lns", "brkga"}) {
      SearchRequest request = request_for(name, 30);
      request.start = testing::random_placement(problem, rng);
      const Score start = Simulator(problem, Order::kFifo).evaluate(*request.start);
      REQUIRE(run_search(problem, request).score <= start);
    }
  }
}

// On device 0 a 0-2, b 2-3, c 3-4, its tensor 4-5, d 5-11 on device 1; with c first d runs 2-8.
TEST_CASE("where no op may change its device walks still move the order") {
  std::vector<Op> ops = {timed_op("a", 2), timed_op("b", 1), timed_op("c", 1), timed_op("d", 6)};
  for (Op& op : ops) op.devices = {op.name == "d" ? "gpu:1" : "gpu:0"};
  const Problem problem(graph_of(ops, {tensor(0, {1}, 0), tensor(2, {3}, 1)}), alike());
  for (const char* name : {"anneal", "tabu", "lns"}) {
    INFO(name);
    SearchRequest request = request_for(name, 200);
    request.order = Order::kGiven;
    request.start = on_devices({0, 0, 0, 1});
    request.start_order = problem.graph().program_order();
    const SearchResult result = run_search(problem, request);
    CHECK(to_seconds(result.history.front().score.step_ps) == 11);
    CHECK(to_seconds(result.score.step_ps) == 8);
  }
}

TEST_CASE("random keys find an order as well as a placement") {
  std::vector<Op> ops = {timed_op("a", 2), timed_op("b", 1), timed_op("c", 1), timed_op("d", 6)};
  for (Op& op : ops) op.devices = {op.name == "d" ? "gpu:1" : "gpu:0"};
  const Problem problem(graph_of(ops, {tensor(0, {1}, 0), tensor(2, {3}, 1)}), alike());
  CHECK(to_seconds(search_orders("brkga", problem, 300).score.step_ps) == 8);
}

TEST_CASE("annealing comes within 8 % of planted optima and never below them") {
  for (const KnownOptimum& known : planted_optima()) {
    const std::size_t ops = known.problem.op_count();
    // Where devices run a few ops each, hardly a schedule is as near as that.
    if (ops > 100 || ops < 15 * known.problem.device_count()) continue;
    INFO(known.name);
    const SearchResult result = search_orders("anneal", known.problem, 6000);
    CHECK(result.score.fits());
    CHECK(result.score.step_ps >= known.optimum_ps);
    CHECK(to_seconds(result.score.step_ps) <= 1.08 * to_seconds(known.optimum_ps));
  }
}

TEST_CASE("annealing finds the optimum of planted chains and comes near that of packed ones") {
  for (const KnownOptimum& known : shared_planted_optima()) {
    if (known.problem.op_count() > 100) continue;
    const bool chain = known.name.starts_with("chain");
    INFO(known.name);
    if (chain ? known.problem.op_count() > 30 : known.name.starts_with("packedccr")) continue;
    const SearchResult result = search_orders("anneal", known.problem, 6000);
    const double gap =
        static_cast<double>(result.score.step_ps) / static_cast<double>(known.optimum_ps) - 1;
    CHECK(result.score.fits());
    CHECK(gap >= 0);
    CHECK(gap <= (chain ? 0 : 0.08));
  }
}

}  // namespace
}  // namespace placer::testing
