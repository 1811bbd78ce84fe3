#include <catch2/catch.hpp>
#include <new>
#include <stdexcept>
#include <system_error>

#include "cli/compare/report.hpp"
#include "placer/base/errors.hpp"
#include "support/searches.hpp"

namespace placer {
namespace {

/// Scores one placement of 2 s and then, from the second run on, fails.
Optimizer failing(const std::string& name, void (*fail)()) {
  Optimizer optimizer;
  optimizer.name = name;
  optimizer.run = [fail, runs = 0](const OptionValues&, Search& search) mutable {
    search.evaluate(*search.problem().all_on(DeviceId(0)));
    if (++runs > 1) fail();
  };
  return optimizer;
}

/// Of three seeds with one evaluation each, on two ops.
Comparison comparison_of(const std::vector<const Optimizer*>& algorithms) {
  Comparison comparison;
  for (const Optimizer* optimizer : algorithms) {
    comparison.algorithms.push_back({optimizer, optimizer->name, {}, std::nullopt, std::nullopt});
  }
  comparison.seeds = 3;
  comparison.request.budget.evaluations = 1;
  LoadedProblem loaded{testing::fast_and_slow(2), "g", "two", "given", std::nullopt};
  const LowerBounds bounds = lower_bounds(loaded.problem);
  comparison.graphs.push_back({std::move(loaded), bounds, {std::nullopt}, {{}}});
  return comparison;
}

Comparison compared(const std::vector<const Optimizer*>& algorithms) {
  Comparison comparison = comparison_of(algorithms);
  run_comparison(comparison, {});
  return comparison;
}

TEST_CASE("A thread that cannot begin lacks memory, whoever tells so") {
  const std::error_code none_left = std::make_error_code(std::errc::resource_unavailable_try_again);
  CHECK(lacks_memory(std::bad_alloc()));
  CHECK(lacks_memory(std::system_error(none_left)));
  CHECK(lacks_memory(std::system_error(none_left, "pthread_create has failed")));
  CHECK_FALSE(lacks_memory(std::runtime_error("pthread_create has failed")));
}

TEST_CASE("Runs that fail are rows with their reason, and all others stay") {
  const Optimizer wrong = failing("wrong", [] { throw Error("expected <less>"); });
  const Optimizer large = failing("large", [] { throw std::bad_alloc(); });
  const Optimizer good = failing("good", [] {});
  const Comparison comparison = compared({&wrong, &large, &good});
  REQUIRE(comparison.runs.size() == 1 + 1 + 3);
  REQUIRE(comparison.failures.size() == 4);
  CHECK_FALSE(comparison.failures[0].failure.is_ours);

  const std::vector<AlgorithmSummary> rows = summarize(comparison).at(0).algorithms;
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].runs == 1);
  CHECK(rows[0].failed == 2);
  CHECK(rows[0].reason == "expected <less>");
  CHECK(rows[1].reason == "expected enough memory for the search, found too little");
  CHECK(rows[2].failed == 0);
  CHECK(rows[2].runs == 3);

  const std::string text = compare_report(comparison, CompareFormat::kText, false, {});
  CHECK_THAT(text,
             Catch::Contains("1, 2 failed") && Catch::Contains("wrong failed: expected <less>"));
  CHECK_THAT(compare_report(comparison, CompareFormat::kMarkdown, false, {}),
             Catch::Contains("wrong failed: expected &lt;less>"));
  CHECK_THAT(compare_report(comparison, CompareFormat::kCsv, true, {}),
             Catch::Contains(",failed,expected <less>\n") && Catch::Contains("good,3,2.0,true"));
}

TEST_CASE("An algorithm whose every run fails has a row without numbers") {
  Optimizer none;
  none.name = "none";
  none.run = [](const OptionValues&, Search&) { throw std::logic_error("broken"); };
  const Comparison comparison = compared({&none});
  REQUIRE(comparison.failures.size() == 3);
  CHECK(comparison.failures[0].failure.is_ours);
  CHECK_THAT(compare_report(comparison, CompareFormat::kJson, false, {}),
             Catch::Contains("\"runs\": 0") && Catch::Contains("\"median_seconds\": null") &&
                 Catch::Contains("\"reason\": \"a fault of ours: broken\""));
  CHECK_THAT(compare_report(comparison, CompareFormat::kText, true, {}), Catch::Contains("failed"));
}

TEST_CASE("A floor whose search fails has a row with its reason, and all runs stay") {
  const Optimizer good = failing("good", [] {});
  Comparison comparison = comparison_of({&good});
  comparison.request.grouping = {Grouping::Kind::kCount, 1};
  comparison.request.observer = Observer(EventLevel::kInfo, [](const Event& event) {
    if (event.message.starts_with("lower bound")) throw std::bad_alloc();
  });
  comparison.request.budget.evaluations = 50;
  comparison.wants_floors = true;
  run_comparison(comparison, {});
  CHECK(comparison.runs.size() == 3);
  REQUIRE(comparison.floors.size() == 1);
  REQUIRE(comparison.floors[0].failure);
  CHECK_THAT(compare_report(comparison, CompareFormat::kText, false, {}),
             Catch::Contains("auto in 1 groups failed: expected enough memory, found too little"));
  CHECK_THAT(compare_report(comparison, CompareFormat::kJson, false, {}),
             Catch::Contains("\"reason\": \"expected enough memory, found too little\""));
}

}  // namespace
}  // namespace placer
