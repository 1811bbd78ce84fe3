#include <algorithm>
#include <catch2/catch.hpp>

#include "placer/io/devices_file.hpp"
#include "placer/model/zoo.hpp"
#include "placer/search/bounds.hpp"
#include "search/exact/branch_and_bound.hpp"
#include "search/local/strategies.hpp"
#include "support/events.hpp"
#include "support/problems.hpp"
#include "support/sanitizers.hpp"
#include "support/scheduling_data.hpp"
#include "support/searches.hpp"

namespace placer {
namespace {

using testing::request_for;

using testing::tensor;
using testing::timed_op;

Problem chain_problem(std::size_t length) {
  return Problem(testing::chain(length), testing::alike());
}

/// A chain of `length` ops of 2 s that take turns on two devices, 2 s apart. Each but the last
/// sends something first to three ops of 1 s, of which each also sends 1 s to its like of the next.
Problem relay(std::size_t length) {
  std::vector<Op> ops;
  std::vector<Tensor> tensors;
  for (std::size_t turn = 0; turn < length; ++turn) {
    const bool even = turn % 2 == 0;
    ops.push_back(
        testing::timed_apart("turn" + std::to_string(turn), even ? 2 : 900, even ? 900 : 2));
    if (turn + 1 == length) break;
    for (std::size_t side = 1; side <= 3; ++side) {
      ops.push_back(timed_op("side" + std::to_string(turn) + "." + std::to_string(side), 1));
      tensors.push_back(tensor(4 * turn, {4 * turn + side}, 1));
    }
    tensors.push_back(tensor(4 * turn, {4 * turn + 4}, 2));
    for (std::size_t side = 1; side <= 3 && turn > 0; ++side) {
      tensors.push_back(tensor(4 * turn - 4 + side, {4 * turn + side}, 1));
    }
  }
  return Problem(testing::graph_of(std::move(ops), std::move(tensors)), testing::alike());
}

/// GPUs that are alike, each joined to each by 10 GB/s.
Topology joined_gpus(std::size_t count, std::int64_t memory_bytes) {
  std::vector<Device> devices(count);
  for (std::size_t i = 0; i < count; ++i) {
    devices[i] = {.name = "gpu:" + std::to_string(i), .type = "gpu", .memory_bytes = memory_bytes};
    devices[i].flops_per_second.of_others = 1e13;
    devices[i].bytes_per_second = 9e11;
  }
  return Topology(std::move(devices), {{"*", "*", 1e10, 1e-5, {}}});
}

SearchResult run_auto(const Problem& problem, Order order, std::int64_t evaluations) {
  SearchRequest request = request_for("auto", evaluations);
  request.order = order;
  return run_search(problem, request);
}

}  // namespace

TEST_CASE("auto counts the same evaluations for any number of threads where lists prove the best") {
  Rng rng(4);
  for (int i = 0; i < 60; ++i) {
    const Problem problem = testing::random_problem(rng, {.most_ops = 8, .most_devices = 3});
    SearchRequest request = request_for("auto", 300);
    std::vector<std::int64_t> counts;
    for (const int threads : {1, 2, 3}) {
      request.threads = threads;
      counts.push_back(run_search(problem, request).evaluations);
    }
    CHECK(counts[1] == counts[0]);
    CHECK(counts[2] == counts[0]);
  }
}

TEST_CASE("auto finds and proves the optimum of the HEFT paper's example: 73") {
  const SearchResult found = run_auto(testing::published_example().problem, Order::kGiven, 2400);
  CHECK(to_seconds(found.score.step_ps) == 73);
  CHECK(found.proven);
}

TEST_CASE("auto proves the best calls of a graph with no more placements than evaluations") {
  Rng rng(5);
  int proven = 0;
  for (int round = 0; round < 200; ++round) {
    const Problem problem =
        testing::random_problem(rng).with_goal({.objective = Objective::kCallLatency});
    if (placement_count(problem) > 1000) continue;
    const SearchResult best = run_search(problem, request_for("exhaustive", 1'000'000));
    const SearchResult found = run_search(problem, request_for("auto", 2400));
    CHECK(found.score == best.score);
    CHECK(found.proven);
    ++proven;
  }
  CHECK(proven > 50);
}

TEST_CASE("auto knows when one device is best and stops at the proof") {
  // A chain of three ops of 1 s: 3 s on one device is the critical path itself.
  const Problem chain = chain_problem(3);
  const SearchResult found = run_auto(chain, Order::kFifo, 100'000);
  CHECK(found.proven);
  CHECK(found.score.step_ps == lower_bounds(chain).best_ps());
  CHECK(found.evaluations < 10);
}

// 2 s for each op and 2 s between two: what the others need must never hold up the chain.
TEST_CASE("auto finds orders in which a chain that has to change devices never waits") {
  const SearchResult found = run_auto(relay(40), Order::kGiven, 2000);
  CHECK(to_seconds(found.score.step_ps) == 40 * 2 + 39 * 2);
  CHECK(found.proven);
}

TEST_CASE("auto is no worse than each list scheduler at the same budget") {
  Rng rng(7);
  for (int i = 0; i < 5; ++i) {
    const Problem problem = testing::random_problem(rng);
    const Score found = run_auto(problem, Order::kFifo, 300).score;
    for (const char* other : {"heft", "cpop", "single-device"}) {
      CHECK(found <= run_search(problem, request_for(other, 300)).score);
    }
  }
}

TEST_CASE("auto tells its stages by name, with their evaluations, which add up to all of them") {
  testing::Events events;
  SearchRequest request = request_for("auto", 300);
  request.observer = events.from(EventLevel::kInfo);
  Graph layered = generate("layered", {{"ops", std::int64_t{60}}}).graph;
  const SearchResult found = run_search(Problem(std::move(layered), find_devices("2gpu")), request);
  std::vector<std::string> names;
  std::int64_t evaluations = 0;
  for (const std::string& message :
       events.messages(EventLevel::kInfo, "auto", " evaluations in ")) {
    const std::size_t end = message.find(": ");
    names.push_back(message.substr(0, end));
    evaluations += std::stoll(message.substr(end + 2));
  }
  REQUIRE(names.size() > 3);
  CHECK(names[0] == "HEFT and single devices");
  CHECK(names[1] == "list schedules");
  CHECK(names[2] == "lists and packings at the bound's prices");
  for (std::size_t round = 3; round < names.size(); ++round) {
    INFO(names[round]);
    CHECK(std::ranges::any_of(strategy_names(), [&](std::string_view strategy) {
      return names[round].find(strategy) != std::string::npos;
    }));
  }
  CHECK(evaluations == found.evaluations);
  CHECK(events.messages(EventLevel::kInfo, "auto", "lower bound: ").size() == 1);
}

TEST_CASE("auto scores the same with one thread and with four, evaluation by evaluation") {
  const Problem problem(generate("layered", {{"ops", std::int64_t{60}}}).graph,
                        find_devices("2gpu"));
  for (const Order order : {Order::kFifo, Order::kGiven}) {
    SearchRequest request = request_for("auto", 8000);  // for several slices side by side
    request.order = order;
    request.keeps_scores = true;
    const SearchResult one = run_search(problem, request);
    request.threads = 4;
    const SearchResult four = run_search(problem, request);
    CHECK(four.scores == one.scores);
    CHECK(four.placement == one.placement);
    CHECK(four.order == one.order);
  }
}

TEST_CASE("auto begins in an estimate where groups are many and the bound is far") {
  const auto rounds = [](std::int64_t ops, double ccr) {
    testing::Events events;
    SearchRequest request = request_for("auto", 600);
    request.observer = events.from(EventLevel::kInfo);
    run_search(
        Problem(generate("layered", {{"ops", ops}, {"ccr", ccr}}).graph, find_devices("4xT4")),
        request);
    return events.messages(EventLevel::kInfo, "auto", "estimate: ").size();
  };
  CHECK(rounds(120, 5) == 1);
  CHECK(rounds(90, 5) == 0);
  CHECK(rounds(120, 0.1) == 0);
}

TEST_CASE("auto reheats the best where memory is tight, however few evaluations there are") {
  const Graph graph = generate("layered", {{"ops", std::int64_t{60}}}).graph;
  std::int64_t bytes = 0;
  for (const Tensor& each : graph.tensors()) bytes += each.bytes;
  const auto rounds = [&](std::int64_t memory_bytes) {
    testing::Events events;
    SearchRequest request = request_for("auto", 600);
    request.observer = events.from(EventLevel::kInfo);
    run_search(Problem(graph, joined_gpus(4, memory_bytes)), request);
    return events.messages(EventLevel::kInfo, "auto", "reheating").size();
  };
  CHECK(rounds(bytes / 8) > 0);
  CHECK(rounds(2 * bytes) == 0);
}

TEST_CASE("auto without a strategy never gives it a turn") {
  testing::Events events;
  SearchRequest request = request_for("auto", 8000);
  request.options["without"] = std::string("levels-again");
  request.observer = events.from(EventLevel::kInfo);
  run_search(Problem(generate("layered", {{"ops", std::int64_t{60}}}).graph, find_devices("2gpu")),
             request);
  CHECK(events.messages(EventLevel::kInfo, "auto", "descent").size() > 0);
  CHECK(events.messages(EventLevel::kInfo, "auto", "levels-again").empty());
}

TEST_CASE("multilevel keeps a chain of 60 ops with heavy tensors on one device") {
  const Problem chain = chain_problem(60);
  const Score found = run_search(chain, request_for("multilevel", 500)).score;
  CHECK(found.step_ps == lower_bounds(chain).best_ps());
}

TEST_CASE("on 1,000 devices auto soon has what HEFT's variants find, whatever other lists take") {
  const Problem problem(generate("layered", {{"ops", std::int64_t{1000}}}).graph,
                        joined_gpus(1000, 1 << 30));
  SearchRequest request = request_for("auto", Budget{}.evaluations);
  request.budget.target_ps = run_search(problem, request_for("heft", 10)).score.step_ps;
  request.budget.seconds = testing::kSanitized ? 300 : 60;
  CHECK(run_search(problem, request).stopped == Stop::kTarget);
}

}  // namespace placer
