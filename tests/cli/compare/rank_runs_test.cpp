#include "cli/compare/rank_runs.hpp"

#include <catch2/catch.hpp>
#include <thread>

#include "cli/ranks/net.hpp"

namespace placer {
namespace {

/// Runs of three algorithms from three seeds; heft draws no random numbers, so that it has one.
Comparison tiny(Transport* ranks) {
  Comparison comparison;
  comparison.graphs.push_back(
      {load_problem(std::string(PLACER_SOURCE_DIR) + "/graphs/tiny.json", {}, {}), {}, {}});
  comparison.algorithms = under_orders(parse_algorithms("heft:groups=none,random,genetic"), 1);
  comparison.seeds = 3;
  comparison.request.budget.evaluations = 40;
  comparison.ranks = ranks;
  return comparison;
}

/// What was found, without wall times.
struct Found {
  std::size_t graph, algorithm;
  std::uint64_t seed;
  Score score;
  std::int64_t evaluations, to_best;
  friend bool operator==(const Found&, const Found&) = default;
};

std::vector<Found> found_on(int ranks) {
  Net net(ranks);
  std::vector<std::thread> others;
  for (int rank = 1; rank < ranks; ++rank) {
    others.emplace_back([&net, rank] {
      Net::End end = net.end(rank);
      serve_comparison(tiny(&end));
    });
  }
  Net::End end = net.end(0);
  Comparison comparison = tiny(ranks > 1 ? &end : nullptr);
  run_comparison(comparison, {});
  for (std::thread& other : others) other.join();
  CHECK(comparison.failures.empty());
  std::vector<Found> found;
  for (const RunRecord& run : comparison.runs) {
    found.push_back({run.graph, run.algorithm, run.seed, run.result.score, run.result.evaluations,
                     run.evaluations_to_best()});
  }
  return found;
}

TEST_CASE("Three ranks find what one process finds, in the same order") {
  const std::vector<Found> alone = found_on(1);
  CHECK(alone.size() == 7);  // heft once, the others three times
  CHECK(found_on(3) == alone);
}

TEST_CASE("Another budget is another comparison, of which a rank gets no runs") {
  Net net(2);
  std::thread other([&net] {
    Net::End end = net.end(1);
    Comparison comparison = tiny(&end);
    comparison.request.budget.evaluations = 41;
    serve_comparison(comparison);
  });
  Net::End end = net.end(0);
  Comparison comparison = tiny(&end);
  std::vector<std::string> told;
  comparison.request.observer =
      Observer(EventLevel::kWarn, [&](const Event& event) { told.push_back(event.message); });
  while (net.waiting(0) == 0) std::this_thread::yield();
  run_comparison(comparison, {});
  other.join();
  CHECK(comparison.runs.size() == 7);
  for (const RunRecord& run : comparison.runs) CHECK(run.result.evaluations <= 40);
  CHECK(told == std::vector<std::string>{
                    "rank 1: it was started for something else, or reads other files"});
}

}  // namespace
}  // namespace placer
