// Claims of exhaustive search and of branch and bound: what they call optimal is.
#include "search/exact/branch_and_bound.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "placer/base/errors.hpp"
#include "support/exhaustive.hpp"
#include "support/problems.hpp"
#include "support/scheduling_data.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

SearchResult search_with(const std::string& name, const Problem& problem, Order order,
                         std::int64_t evaluations = 1'000'000) {
  SearchRequest request = request_for(name, evaluations);
  request.order = order;
  return run_search(problem, request);
}

Problem alike_ops(std::size_t count, const Machine& machine) {
  std::vector<Op> ops;
  for (std::size_t i = 0; i < count; ++i) ops.push_back(timed_op("op" + std::to_string(i), 1));
  return Problem(graph_of(ops, {}), alike(machine));
}

TEST_CASE("what exhaustive search ends with is the oracle's best, and proven") {
  Rng rng(71);
  for (int round = 0; round < 40; ++round) {
    CAPTURE(round);
    const Problem problem = random_problem(rng, {.most_ops = 6, .most_devices = 3});
    const Order order = round % 2 == 0 ? Order::kFifo : Order::kPriority;
    const SearchResult found = search_with("exhaustive", problem, order);
    CHECK(found.score == exhaustive_best(problem, order).score);
    CHECK(found.proven);
    CHECK(found.stopped == Stop::kProven);
  }
}

TEST_CASE("three ops go to three alike devices in five ways") {
  // Together, three times two and one, and all apart; 27 where ties go by the device's id.
  const auto evaluations = [](Contention contention) {
    const Problem problem = alike_ops(3, {.devices = 3, .contention = contention});
    return search_with("exhaustive", problem, Order::kFifo).evaluations;
  };
  CHECK(evaluations(Contention::kLink) == 5);
  CHECK(evaluations(Contention::kPorts) == 27);
}

TEST_CASE("exhaustive search that its budget stops has proven nothing") {
  const Problem problem = alike_ops(3, {.devices = 3});
  const SearchResult found = search_with("exhaustive", problem, Order::kFifo, 4);
  CHECK(found.evaluations == 4);
  CHECK_FALSE(found.proven);
}

TEST_CASE("merged groups prove nothing about the layers") {
  SearchRequest request = request_for("exhaustive", 1000);
  request.grouping = {Grouping::Kind::kCount, 2};
  CHECK_FALSE(run_search(Problem(chain(5), alike()), request).proven);
}

TEST_CASE("exhaustive search without a budget refuses a million million placements") {
  SearchRequest request = request_for("exhaustive", 1);
  request.budget = {};
  CHECK_THROWS_WITH(run_search(alike_ops(40, {}), request),
                    "algorithm exhaustive: expected at most 10000000 placements or a budget "
                    "(--evaluations, --time-limit), found 1.1e+12 placements");
}

TEST_CASE("branch and bound proves the oracle's best where something fits") {
  Rng rng(72);
  std::int64_t evaluations = 0, all = 0;
  for (int round = 0; round < 60; ++round) {
    CAPTURE(round);
    const Problem problem = random_problem(rng, {.most_ops = 6, .most_devices = 3});
    const Order order = round % 2 == 0 ? Order::kFifo : Order::kPriority;
    const Score best = exhaustive_best(problem, order).score;
    const SearchResult found = search_with("branch-and-bound", problem, order);
    CHECK(found.proven == best.fits());
    if (best.fits()) CHECK(found.score == best);
    evaluations += found.evaluations;
    all += static_cast<std::int64_t>(placement_count(problem));
  }
  CHECK(evaluations < all / 8);
}

TEST_CASE("under order given branch and bound proves the best of all orders") {
  Rng rng(73);
  int proven = 0, fit = 0;
  for (int round = 0; round < 150; ++round) {
    CAPTURE(round);
    const Problem problem = random_problem(rng, {.most_ops = 5, .most_devices = 2});
    const Score best = exhaustive_best_order(problem);
    const SearchResult found = search_with("branch-and-bound", problem, Order::kGiven);
    CHECK(found.score >= best);
    if (found.proven) CHECK(found.score == best);
    proven += found.proven ? 1 : 0;
    fit += best.fits() ? 1 : 0;
  }
  CHECK(proven == fit);
}

TEST_CASE("without contention and with room branch and bound proves the best of all orders") {
  Rng rng(74);
  for (int round = 0; round < 50; ++round) {
    CAPTURE(round);
    const Problem problem = random_problem(rng, {.most_ops = 6,
                                                 .most_devices = 2,
                                                 .contention = Contention::kNone,
                                                 .alike_devices = round % 3 == 0,
                                                 .limits = false});
    const SearchResult found = search_with("branch-and-bound", problem, Order::kGiven);
    CHECK(found.proven);
    CHECK(found.score == exhaustive_best_order(problem));
  }
}

TEST_CASE("exact search gains the last picosecond: 3, 3, 2, 2, 2 ps on two devices take 6") {
  // Longest first: 3 + 2 + 2 and 3 + 2.
  const Problem problem(graph_of(seconds_each({3e-12, 3e-12, 2e-12, 2e-12, 2e-12}), {}), alike());
  for (const Order order : {Order::kFifo, Order::kGiven}) {
    const SearchResult found = search_with("branch-and-bound", problem, order);
    CHECK(found.score == Score{0, 6});
    CHECK(found.proven);
  }
}

TEST_CASE("the published example takes 73 at best, which branch and bound proves") {
  const Problem problem = published_example().problem;
  const SearchResult found = search_with("branch-and-bound", problem, Order::kGiven);
  CHECK(found.score == Score{0, to_picoseconds(73)});
  CHECK(found.proven);
}

void check_is_proven(const KnownOptimum& known) {
  CAPTURE(known.name);
  const SearchResult found = search_with("branch-and-bound", known.problem, Order::kGiven);
  CHECK(found.score.step_ps == known.optimum_ps);
  CHECK(found.proven);
}

TEST_CASE("branch and bound proves optima of standard task graphs") {
  for (const KnownOptimum& known : task_graphs()) check_is_proven(known);
}

TEST_CASE("branch and bound proves optima of every fourth of the Standard Task Graph Set") {
  const std::vector<KnownOptimum> set = shared_task_graphs();
  for (std::size_t i = 0; i < set.size(); i += 4) check_is_proven(set[i]);
}

TEST_CASE("branch and bound that runs out of nodes keeps its best and proves nothing") {
  SearchRequest request = request_for("branch-and-bound", 1000);
  request.order = Order::kGiven;
  request.options["nodes"] = std::int64_t{50};
  const SearchResult found = run_search(published_example().problem, request);
  CHECK(to_seconds(found.score.step_ps) >= 73);
  CHECK(to_seconds(found.score.step_ps) <= 80);  // HEFT's, which it starts from
  CHECK_FALSE(found.proven);
  CHECK(found.stopped == Stop::kLimit);
}

TEST_CASE("nodes of branch and bound count as evaluations: each, or ten of orders as one") {
  for (const Order order : {Order::kFifo, Order::kGiven}) {
    CAPTURE(name_of(order));
    std::int64_t placements = 0, schedules = 0;
    SearchRequest request = request_for("branch-and-bound", 30);
    request.order = order;
    request.observer = Observer(EventLevel::kInfo, [&](const Event& event) {
      constexpr std::string_view kEnd = "ends after ";
      if (!event.message.starts_with(kEnd)) return;
      const bool of_schedules = event.message.find("partial schedules") != std::string::npos;
      (of_schedules ? schedules : placements) = std::stoll(event.message.substr(kEnd.size()));
    });
    const SearchResult found = run_search(published_example().problem, request);
    CHECK(found.evaluations + placements + schedules / 10 == 30);
    CHECK(placements >= 10);
    CHECK((schedules >= 100) == (order == Order::kGiven));
    CHECK(found.stopped == Stop::kEvaluations);
    CHECK_FALSE(found.proven);
  }
}

TEST_CASE("branch and bound whose first answers take its budget looks at no node") {
  // HEFT's and those of three different devices.
  const SearchResult found =
      search_with("branch-and-bound", published_example().problem, Order::kFifo, 4);
  CHECK(found.evaluations == 4);
  CHECK(found.stopped == Stop::kEvaluations);
  CHECK_FALSE(found.proven);
}

TEST_CASE("exhaustive search goes through 100,000 ops as through three") {
  const SearchResult found =
      search_with("exhaustive", Problem(chain(100'000), alike()), Order::kFifo, 3);
  CHECK(found.evaluations == 3);
  CHECK(found.stopped == Stop::kEvaluations);
}

TEST_CASE("branch and bound goes as deep as there are ops where nothing fits") {
  // All sources are ready at first, so that their outputs are held at once: 10,000 bytes on two
  // devices of 4,000. Two nodes for each op then are one placement.
  std::vector<Op> ops;
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < 20'000; ++i) ops.push_back(timed_op("op" + std::to_string(i), 1));
  for (std::size_t i = 0; i < 10'000; ++i) tensors.push_back(tensor(i, {10'000 + i}, 1));
  const Problem problem(graph_of(ops, tensors), alike({.memory_bytes = 4000}));
  const SearchResult found = search_with("branch-and-bound", problem, Order::kFifo, 40'002);
  CHECK(found.evaluations == 3);
  CHECK_FALSE(found.score.fits());
}

TEST_CASE("branch and bound looks at no partial placement of more than 20,000 ops") {
  std::vector<double> seconds;
  for (int i = 0; i <= 20'000; ++i) seconds.push_back(1 + i * 37 % 101 / 1000.0);
  const Problem problem(graph_of(seconds_each(seconds), {}), alike());
  const SearchResult found = search_with("branch-and-bound", problem, Order::kFifo, 100'000);
  CHECK(found.evaluations <= 3);
  CHECK(found.stopped == Stop::kLimit);
  CHECK_FALSE(found.proven);
}

TEST_CASE("branch and bound without a budget refuses graphs that it cannot hope to prove") {
  SearchRequest request = request_for("branch-and-bound", 1);
  request.budget = {};
  CHECK_THROWS_WITH(run_search(alike_ops(50, {}), request),
                    "algorithm branch-and-bound: expected at most 1e+12 placements or a budget "
                    "(--evaluations, --time-limit), found 1.126e+15 placements");
  request.order = Order::kGiven;
  CHECK_THROWS_WITH(
      run_search(alike_ops(501, {}), request),
      "algorithm branch-and-bound: expected at most 500 ops on 16 devices under order "
      "given, or a budget (--evaluations, --time-limit), found 501 on 2");
}

TEST_CASE("branch and bound without a budget proves a small problem under order given") {
  const Problem problem(graph_of(seconds_each({1, 2}), {}), alike());
  SearchRequest request = request_for("branch-and-bound", 0);
  request.budget = {};
  request.order = Order::kGiven;
  const SearchResult result = run_search(problem, request);
  CHECK(result.proven);
  CHECK(result.score.step_ps == to_picoseconds(2));
}

TEST_CASE("alike devices without transfers are not one where memory may bind") {
  // Each of two devices holds three of five ops of 10 bytes: 3 + 3 and 2 + 2 + 2. HEFT needs 7.
  std::vector<Op> ops = seconds_each({3, 3, 2, 2, 2});
  for (Op& op : ops) op.params_bytes = 10;
  const Problem problem(graph_of(ops, {}), alike({.memory_bytes = 30}));
  REQUIRE(run_optimizer(problem, "heft").schedule_ps == to_picoseconds(7));
  SearchRequest request = request_for("branch-and-bound", 1000);
  request.order = Order::kGiven;
  const SearchResult result = run_search(problem, request);
  CHECK(result.score == Score{0, to_picoseconds(6)});
  CHECK(result.proven);
}

TEST_CASE("exact search keeps a later schedule whose group is where its other op is quick") {
  // x, then z on gpu:1 (3 s), then y, which goes where x is: x takes 2 or 1 s, y 1 or 10 s. With
  // both on gpu:1 z starts 1 s sooner, and y ends at 14; on gpu:0 it ends at 2 + 3 + 1.
  std::vector<Op> ops = {timed_apart("x", 2, 1), on(timed_op("z", 3), {"gpu:1"}),
                         timed_apart("y", 1, 10)};
  ops[0].group = ops[2].group = "x and y";
  const Problem problem(graph_of(ops, {tensor(0, {1}, 0), tensor(1, {2}, 0)}),
                        alike({.contention = Contention::kNone}));
  const SearchResult found = search_with("branch-and-bound", problem, Order::kGiven);
  CHECK(found.score == Score{0, to_picoseconds(6)});
  CHECK(found.proven);
}

TEST_CASE("names of alike devices count where one tensor goes to two of them") {
  // a's tensor takes 2 s to b, which runs for 3, and 2 s to c, through the same port, the lesser id
  // first. e, 4 s on c's device, begins before b: b's is the third device that is used, and must
  // not be the last by its id.
  std::vector<Op> ops = seconds_each({1, 3, 1, 4});
  for (const std::size_t first : {0, 1, 2}) ops[first].params_bytes = 12;
  ops[2].group = ops[3].group = "c and e";
  const Problem problem(graph_of(ops, {tensor(0, {1, 2}, 4), tensor(3, {2}, 0)}),
                        alike({.devices = 3,
                               .contention = Contention::kPorts,
                               .memory_bytes = 20,
                               .bytes_per_second = 2}));
  const SearchResult found = search_with("branch-and-bound", problem, Order::kGiven);
  CHECK(found.score == exhaustive_best_order(problem));
  CHECK(found.score == Score{0, to_picoseconds(6)});
  CHECK(found.proven);
}

}  // namespace
}  // namespace placer::testing
