#include <catch2/catch.hpp>

#include "placer/search/bounds.hpp"
#include "search/exact/mixed_solver.hpp"
#include "support/problems.hpp"
#include "support/searches.hpp"
#include "support/skipped.hpp"

namespace placer {
namespace {

using testing::request_for;

/// True where this build has no solver, and the test counts as skipped.
bool skip_without_solver() {
  if (!can_solve_mixed_programs()) testing::skip("this build is without CBC");
  return !can_solve_mixed_programs();
}

/// The program alone, from everything on one device on.
SearchRequest bare_request(std::int64_t evaluations = 1'000'000) {
  SearchRequest request = request_for("milp", evaluations);
  request.options["prepare"] = false;
  return request;
}

Problem with_transfers(const Problem& problem, Transfers transfers, bool has_host, Goal goal) {
  std::vector<Device> devices = problem.topology().devices();
  devices.front().host = has_host;
  return Problem(problem.graph(), Topology(std::move(devices), problem.topology().links(),
                                           problem.topology().contention(), transfers))
      .with_goal(std::move(goal));
}

/// Layers of 1 to 5 seconds in a line, over 1 to 3 bytes, 1 to 4 bytes of parameters each.
Problem random_line(Rng& rng, std::size_t layers, const testing::Machine& machine, Goal goal) {
  std::vector<Op> ops;
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < layers; ++i) {
    ops.push_back(
        testing::timed_op("op" + std::to_string(i), 1 + static_cast<double>(rng.below(5))));
    ops.back().params_bytes = 1 + static_cast<std::int64_t>(rng.below(4));
    if (i == 0) continue;
    tensors.push_back(testing::tensor(i - 1, {i}, 1 + static_cast<std::int64_t>(rng.below(3))));
  }
  return Problem(testing::graph_of(ops, tensors), testing::alike(machine))
      .with_goal(std::move(goal));
}

TEST_CASE("The mixed-integer program finds the best of all placements and no bound above it") {
  if (skip_without_solver()) return;
  Rng rng(21);
  int bounds = 0;
  for (int round = 0; round < 90; ++round) {
    INFO(round);
    const auto transfers = round % 2 == 0 ? Transfers::kSerial : Transfers::kOverlap;
    const Problem problem = with_transfers(
        testing::random_problem(rng, {.most_ops = 8, .most_devices = 3}), transfers, round % 4 > 1,
        {.objective = Objective::kThroughput, .contiguity = static_cast<Contiguity>(round % 3)});
    const Score best = run_search(problem, request_for("exhaustive", 10'000'000)).score;
    const SearchResult found = run_search(problem, bare_request());
    CHECK(found.score.fits() == best.fits());
    if (!best.fits()) continue;
    CHECK(found.score == best);
    REQUIRE(found.bound_ps);
    CHECK(*found.bound_ps <= best.step_ps);
    // But for the two millionths that are taken off and the one that is not looked for.
    CHECK(static_cast<double>(*found.bound_ps) >= 0.999'996 * static_cast<double>(best.step_ps));
    bounds += *found.bound_ps > lower_bounds(problem).best_ps() ? 1 : 0;
  }
  CHECK(bounds > 20);
}

TEST_CASE("In a line of layers in tight memories the program and dp find the same stages") {
  if (skip_without_solver()) return;
  Rng rng(22);
  int fit = 0;
  for (int round = 0; round < 12; ++round) {
    INFO(round);
    const auto contiguity = round % 2 == 0 ? Contiguity::kStages : Contiguity::kContiguous;
    const Problem problem =
        random_line(rng, 12, {.devices = 4, .memory_bytes = 16},
                    {.objective = Objective::kThroughput, .contiguity = contiguity});
    const SearchResult by_dp = run_search(problem, request_for("interval-dp", 100));
    const SearchResult found = run_search(problem, bare_request());
    CHECK(found.score.fits() == by_dp.score.fits());
    if (!found.score.fits()) continue;
    ++fit;
    CHECK(found.score == by_dp.score);
    CHECK(by_dp.proven);
  }
  CHECK(fit > 6);
}

TEST_CASE("A chain of three is cut where copies overlap, and not where they are added") {
  if (skip_without_solver()) return;
  // 1 s each over 1 byte at 1 byte a second: 2 + 1 layers take 2 s, or 2 + 1 s with the copy.
  const Problem chain(testing::chain(3), testing::alike());
  const Goal throughput{.objective = Objective::kThroughput};
  const auto best = [&](Transfers transfers) {
    return run_search(with_transfers(chain, transfers, false, throughput), bare_request());
  };
  CHECK(best(Transfers::kOverlap).score == Score{0, to_picoseconds(2)});
  CHECK(best(Transfers::kSerial).score == Score{0, to_picoseconds(3)});
  CHECK(best(Transfers::kSerial).proven);
}

TEST_CASE("A limit of the program's nodes, of evaluations and of time leaves the start") {
  if (skip_without_solver()) return;
  Rng rng(23);
  const Problem problem = random_line(rng, 40, {.devices = 6, .memory_bytes = 40},
                                      {.objective = Objective::kThroughput});
  SearchRequest request = request_for("multilevel", 5'000);
  const SearchResult start = run_search(problem, request);
  REQUIRE(start.score.fits());
  request = bare_request();
  request.start = start.placement;
  request.options["nodes"] = std::int64_t{1};
  const SearchResult by_nodes = run_search(problem, request);
  CHECK(by_nodes.score <= start.score);
  CHECK(by_nodes.bound_ps <= start.score.step_ps);
  request = bare_request(10);
  request.start = start.placement;
  CHECK(run_search(problem, request).score <= start.score);
  CHECK(run_search(problem, request).evaluations <= 10);
  request = bare_request();
  request.start = start.placement;
  request.budget.seconds = 0.03;
  const SearchResult by_time = run_search(problem, request);
  CHECK(by_time.score <= start.score);
  CHECK((by_time.stopped == Stop::kTime || by_time.proven));
}

TEST_CASE("Without a budget the program prepares itself for so long, and ends") {
  if (skip_without_solver()) return;
  Rng rng(26);
  const Problem problem = random_line(rng, 4, {}, {.objective = Objective::kThroughput});
  const SearchResult found = run_search(problem, request_for("milp", Budget().evaluations));
  CHECK(found.proven);
  CHECK(found.evaluations < 100'000);
}

TEST_CASE("The program ends where all that fits takes over twice as long as its start") {
  if (skip_without_solver()) return;
  Rng rng(25);
  int slow = 0;
  for (int round = 0; round < 40; ++round) {
    INFO(round);
    std::vector<Op> ops = testing::seconds_each({1, 1, 1, 1, 1, 1});
    std::vector<Tensor> tensors;
    for (std::size_t i = 0; i < ops.size(); ++i) {
      ops[i].params_bytes = 200 + 10 * static_cast<std::int64_t>(rng.below(40));
      if (i > 0) tensors.push_back(testing::tensor(rng.below(i), {i}, rng.chance(0.3) ? 40 : 1));
    }
    const Problem problem = Problem(testing::graph_of(ops, tensors),
                                    testing::alike({.devices = 3, .memory_bytes = 960}))
                                .with_goal({.objective = Objective::kThroughput});
    const Score best = run_search(problem, request_for("exhaustive", 1'000)).score;
    if (!best.fits()) continue;
    SearchRequest request = bare_request(500);
    request.start = problem.all_on(DeviceId(0));  // 6 s, and does not fit
    const SearchResult found = run_search(problem, request);
    CHECK(found.score == best);
    CHECK(found.proven);
    slow += best.step_ps > 2 * to_picoseconds(6) ? 1 : 0;
  }
  CHECK(slow > 5);
}

TEST_CASE("The program gives the same result again, and none where it has too many coefficients") {
  if (skip_without_solver()) return;
  Rng rng(24);
  const Problem problem =
      random_line(rng, 9, {.devices = 3}, {.objective = Objective::kThroughput});
  SearchRequest request = request_for("milp", 60);
  const SearchResult first = run_search(problem, request);
  const SearchResult again = run_search(problem, request);
  CHECK(first.placement == again.placement);
  CHECK(first.evaluations == again.evaluations);
  CHECK(first.bound_ps == again.bound_ps);
  request = bare_request();
  request.options["entries"] = std::int64_t{1};
  CHECK(run_search(problem, request).stopped == Stop::kLimit);
}

TEST_CASE("The program refuses objectives that it does not model") {
  if (skip_without_solver()) return;
  const Problem problem(testing::chain(3), testing::alike());
  CHECK_THROWS_WITH(run_search(problem, bare_request()),
                    "algorithm milp: expected the objective throughput, found latency");
  CHECK_THROWS_WITH(
      run_search(problem.with_goal({.objective = Objective::kCallLatency}), bare_request()),
      "algorithm milp: expected the objective throughput, found call-latency");
}

}  // namespace
}  // namespace placer
