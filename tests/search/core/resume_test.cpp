#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>

#include "placer/search/run.hpp"
#include "support/problems.hpp"
#include "support/sanitizers.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

constexpr std::int64_t kBudget = 150;

SearchResult kept(const Problem& problem, SearchRequest request) {
  request.keeps_scores = true;
  return run_search(problem, request);
}

/// What a search that was stopped after `evaluations` has written.
SearchCheckpoint checkpoint_of(const Problem& problem, const SearchRequest& request,
                               const SearchResult& whole, std::size_t evaluations) {
  const std::size_t count = std::min(evaluations, whole.scores.size());
  return {request_facts(problem, request),
          {whole.scores.begin(), whole.scores.begin() + static_cast<std::ptrdiff_t>(count)}};
}

void require_same_but_scores(const SearchResult& resumed, const SearchResult& whole) {
  const auto key = [](const Improvement& step) { return std::pair(step.evaluations, step.score); };
  REQUIRE(resumed.placement == whole.placement);
  REQUIRE(resumed.order == whole.order);
  REQUIRE(resumed.score == whole.score);
  REQUIRE(resumed.evaluations == whole.evaluations);
  REQUIRE(resumed.recent_mean_seconds == whole.recent_mean_seconds);
  REQUIRE(resumed.stopped == whole.stopped);
  REQUIRE(resumed.policy == whole.policy);
  REQUIRE(std::ranges::equal(resumed.history, whole.history, {}, key, key));
}

void require_same(const SearchResult& resumed, const SearchResult& whole) {
  require_same_but_scores(resumed, whole);
  REQUIRE(resumed.scores == whole.scores);
}

TEST_CASE("every optimizer that is resumed ends as it would have without a break") {
  const int problems = kSanitized ? 2 : 6;
  for (const Optimizer& optimizer : runnable_optimizers()) {
    Rng rng(11);
    for (int round = 0; round < problems; ++round) {
      INFO(optimizer.name << ", problem " << round);
      const Problem problem = random_problem(rng);
      SearchRequest request = request_for(optimizer.name, kBudget);
      if (round % 3 == 1) request.order = Order::kGiven;
      if (round % 3 == 2) request.grouping = {Grouping::Kind::kCount, 5};
      const SearchResult whole = kept(problem, request);
      REQUIRE(static_cast<std::int64_t>(whole.scores.size()) == whole.evaluations);
      // Which knows the memory of all that it scores, where this one looks at what it may want.
      require_same_but_scores(run_search(problem, request), whole);
      for (const std::size_t stopped : {std::size_t{1}, std::size_t{70}, whole.scores.size()}) {
        const SearchCheckpoint checkpoint = checkpoint_of(problem, request, whole, stopped);
        request.resume = &checkpoint;
        request.threads = round % 2 == 0 ? 2 : 1;
        require_same(kept(problem, request), whole);
        request.resume = nullptr;
      }
    }
  }
}

TEST_CASE("recorded evaluations are not simulated but for proofs") {
  const Problem problem(chain(3), alike());
  SearchRequest request = request_for("random", 20);
  SearchCheckpoint checkpoint = checkpoint_of(problem, request, kept(problem, request), 10);
  checkpoint.scores[3].step_ps = 1;  // less than any placement takes
  request.resume = &checkpoint;
  CHECK(run_search(problem, request).score.step_ps == 1);
  checkpoint.scores[9].step_ps = 1;  // the last one is a proof
  CHECK_THROWS_WITH(run_search(problem, request),
                    Catch::StartsWith("checkpoint: expected the scores of this search, found ") &&
                        Catch::EndsWith(" in evaluation 10"));
}

TEST_CASE("a checkpoint of another request, and a budget of seconds, are refused") {
  const Problem problem(chain(3), alike());
  SearchRequest request = request_for("random", 20);
  const SearchCheckpoint checkpoint = checkpoint_of(problem, request, kept(problem, request), 10);
  request.resume = &checkpoint;
  const auto refused = [&](const Problem& other, const SearchRequest& changed,
                           const std::string& difference) {
    CHECK_THROWS_WITH(run_search(other, changed),
                      "checkpoint: expected one of this search, found one with " + difference);
  };
  refused(Problem(chain(4), alike()), request, "another graph or constraint on it");
  refused(Problem(chain(3), alike({.devices = 3})), request, "other devices");
  SearchRequest changed = request;
  changed.seed = 2;
  changed.budget.evaluations = 21;
  refused(problem, changed, "evaluations 20 instead of 21, seed 1 instead of 2");
  changed = request;
  changed.order = Order::kPriority;
  refused(problem, changed, "order fifo instead of priority");
  changed = request;
  changed.start = *problem.all_on(DeviceId(0));
  refused(problem, changed, "another start");
  changed = request_for("hill-climb", 20);
  changed.resume = &checkpoint;
  refused(problem, changed, "algorithm random instead of hill-climb");
  request.budget.seconds = 5;
  CHECK_THROWS_WITH(run_search(problem, request),
                    "checkpoint: expected a budget in evaluations alone, found one in seconds");
}

TEST_CASE("what is evaluated after an interrupt is not kept, and a resumed run keeps all it had") {
  const Problem problem(chain(3), alike());
  std::atomic<bool> interrupt = false;
  Optimizer one_by_one;
  one_by_one.name = "one-by-one";
  one_by_one.run = [](const OptionValues&, Search& search) {
    while (search.evaluate(testing::random_placement(search.problem(), search.rng()))) {
    }
  };
  SearchRequest request = request_for("random", 20);
  request.optimizer = &one_by_one;
  const SearchResult whole = kept(problem, request);
  request.interrupt = &interrupt;
  request.on_state = [&](const SearchState& state) { interrupt = state.scores.size() == 7; };
  const SearchResult cut = kept(problem, request);
  CHECK(cut.scores == checkpoint_of(problem, request, whole, 7).scores);

  const SearchCheckpoint checkpoint = checkpoint_of(problem, request, whole, 12);
  request.resume = &checkpoint;
  interrupt = false;
  request.on_state = [&](const SearchState& state) { interrupt = state.improvements > 0; };
  const SearchResult early = kept(problem, request);
  CHECK(early.evaluations == 1);
  CHECK(early.scores == checkpoint.scores);
}

TEST_CASE("the state of a search is its best so far and its improvements") {
  std::vector<std::int64_t> improvements;
  std::vector<double> steps;
  SearchRequest request = request_for("random", 2);
  Optimizer optimizer;
  optimizer.name = "two";
  optimizer.run = [](const OptionValues&, Search& search) {
    search.evaluate(on_devices({1}));
    search.evaluate(on_devices({0}));
  };
  request.optimizer = &optimizer;
  request.on_state = [&](const SearchState& state) {
    improvements.push_back(state.improvements);
    steps.push_back(to_seconds(state.score.step_ps));
    CHECK(state.best[GroupId(0)] == DeviceId(2 - improvements.size()));
  };
  run_search(fast_and_slow(), request);
  CHECK(improvements == std::vector<std::int64_t>{1, 2});
  CHECK(steps == std::vector<double>{2, 1});
}

}  // namespace
}  // namespace placer::testing
