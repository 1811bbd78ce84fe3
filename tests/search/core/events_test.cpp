// What a run tells its observer.
#include "search/core/events.hpp"

#include <catch2/catch.hpp>

#include "search/lists/favourite_children.hpp"
#include "search/lists/linear_program.hpp"
#include "support/events.hpp"
#include "support/problems.hpp"
#include "support/scheduling_data.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

/// 5 independent ops on two devices, of which one is twice as fast.
SearchResult listened(std::string_view algorithm, EventLevel least, Events& events,
                      std::int64_t evaluations = 40) {
  SearchRequest request = request_for(algorithm, evaluations);
  request.observer = events.from(least);
  return run_search(fast_and_slow(5), request);
}

TEST_CASE("a run tells what it is, each evaluation, each improvement and how it ended") {
  Events events;
  const SearchResult result = listened("random", EventLevel::kTrace, events);
  CHECK(events.messages(EventLevel::kInfo, "search", "random on 'test'") ==
        std::vector<std::string>{
            "random on 'test': 5 ops in 5 groups, 2 devices, order fifo, seed 1, "
            "budget 40 evaluations, 1 threads"});
  CHECK(events.messages(EventLevel::kTrace, "search", "evaluation ").size() == 40);
  const auto improvements = events.messages(EventLevel::kDebug, "search", "best ");
  REQUIRE(improvements.size() == result.history.size());
  CHECK_THAT(improvements[0], Catch::StartsWith("evaluation 1: best "));
  const auto ends = events.messages(EventLevel::kInfo, "search", "ended after 40 evaluations");
  REQUIRE(ends.size() == 1);
  CHECK_THAT(ends[0], Catch::Contains("best " + words_of(result.score) + ",") &&
                          Catch::EndsWith("stopped: evaluations"));
}

TEST_CASE("at info a run tells no improvements") {
  Events events;
  listened("random", EventLevel::kInfo, events);
  CHECK(events.all.size() == 2);
}

TEST_CASE("listening to everything changes no result") {
  for (const Optimizer& optimizer : runnable_optimizers()) {
    INFO(optimizer.name);
    Events heard, unheard;
    const SearchResult a = listened(optimizer.name, EventLevel::kTrace, heard, 60);
    const SearchResult b = run_search(fast_and_slow(5), request_for(optimizer.name, 60));
    CHECK(a.placement == b.placement);
    CHECK(a.evaluations == b.evaluations);
    CHECK(a.recent_mean_seconds == b.recent_mean_seconds);
    CHECK(a.policy == b.policy);
    CHECK(heard.all.size() > static_cast<std::size_t>(a.evaluations));
  }
}

TEST_CASE("merging tells from how many groups to how many, and both searches what they gained") {
  Events events;
  SearchRequest request = request_for("random", 40);
  request.grouping = {Grouping::Kind::kCount, 4};
  request.observer = events.from(EventLevel::kInfo);
  const SearchResult result = run_search(Problem(chain(20), alike()), request);
  const auto merged = events.messages(EventLevel::kInfo, "search", "merged 20 groups to ");
  REQUIRE(merged.size() == 1);
  CHECK_THAT(merged[0], Catch::StartsWith("merged 20 groups to " + std::to_string(result.groups) +
                                          " (4 wanted) in "));
  CHECK(events.messages(EventLevel::kInfo, "search", "search before refinement: 20 evalu").size() ==
        1);
  CHECK(events.messages(EventLevel::kInfo, "search", "refinement of the best: ").size() == 1);
}

TEST_CASE("an interrupt is a warning") {
  Events events;
  const std::atomic<bool> interrupt = true;
  SearchRequest request = request_for("random", 40);
  request.interrupt = &interrupt;
  request.observer = events.from(EventLevel::kWarn);
  run_search(fast_and_slow(), request);
  REQUIRE(events.all.size() == 1);
  CHECK_THAT(events.all[0].message,
             Catch::StartsWith("random was interrupted after 1 evaluations"));
}

TEST_CASE("a score is told with what it overflows by") {
  CHECK(words_of({0, to_picoseconds(1.5)}) == "1.5 s");
  CHECK(words_of({7, to_picoseconds(0.25)}) == "0.25 s with 7 bytes too much");
  CHECK(words_of(Score::deadlock()) == "a deadlock");
}

TEST_CASE("branch and bound tells its bound, and that the best is proven") {
  Events events;
  // Two ops on either of two devices, 1 s each if apart; 1 s is the bound as well.
  SearchRequest request = request_for("branch-and-bound", 1000);
  request.observer = events.from(EventLevel::kInfo);
  REQUIRE(run_search(Problem(fork_join(3), alike()), request).proven);
  CHECK(events.messages(EventLevel::kInfo, "branch-and-bound", "begins with ").size() == 1);
  const auto ends = events.messages(EventLevel::kInfo, "branch-and-bound", "ends ");
  REQUIRE(ends.size() == 1);
  CHECK_THAT(ends[0], Catch::EndsWith(": the best is proven optimal"));
}

TEST_CASE("m-sct above the limit of its linear program warns once of what it takes instead") {
  if (!LinearProgram::solvable()) return;
  const std::string told =
      "favourite children are chosen along longest paths, as the linear program is for at most "
      "5000 ops and there are ";
  for (const std::size_t ops : {kMostOpsForProgram, kMostOpsForProgram + 1}) {
    Events events;
    SearchRequest request = request_for("m-sct", 1);
    request.observer = events.from(EventLevel::kWarn);
    run_search(Problem(graph_of(seconds_each(std::vector<double>(ops, 1)), {}), alike()), request);
    const auto warnings = events.messages(EventLevel::kWarn, "m-sct");
    if (ops == kMostOpsForProgram) CHECK(warnings.empty());
    if (ops > kMostOpsForProgram) CHECK(warnings == std::vector<std::string>{told + "5001"});
  }
}

TEST_CASE("a stage that comes from a picosecond to nothing has gained 100 %") {
  Events events;
  Optimizer optimizer;
  optimizer.run = [](const OptionValues&, Search& search) {
    search.evaluate(on_devices({0}));
    const Stage stage(search, "test", "the fast device");
    search.evaluate(on_devices({1}));
  };
  SearchRequest request = request_for("random", 2);
  request.optimizer = &optimizer;
  request.observer = events.from(EventLevel::kInfo);
  run_search(costed({{1e-12, 0}}, {}), request);
  CHECK(events.messages(EventLevel::kInfo, "test", "best 0 s, 100 % less").size() == 1);
}

}  // namespace
}  // namespace placer::testing
