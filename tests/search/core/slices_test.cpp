#include "search/core/slices.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "placer/search/run.hpp"
#include "support/problems.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

/// Slices whose strategy is how often the slow device is tried before the fast one.
std::vector<Slice> slices_of(const std::vector<std::size_t>& slow_ones, std::int64_t evaluations) {
  std::vector<Slice> slices;
  for (const std::size_t slow : slow_ones) {
    slices.push_back({.strategy = slow, .evaluations = evaluations});
  }
  return slices;
}

void slow_then_fast(const Slice& slice, Search& search) {
  for (std::size_t i = 0; i < slice.strategy; ++i) search.evaluate(on_devices({1}));
  search.evaluate(on_devices({0}));
}

Optimizer runs(std::vector<Slice> slices) {
  Optimizer optimizer;
  optimizer.name = "slices";
  optimizer.run = [slices](const OptionValues&, Search& search) {
    SideBySide(search).run(slices, slow_then_fast);
  };
  return optimizer;
}

SearchRequest request_of(const Optimizer& optimizer, int threads) {
  SearchRequest request = request_for("random", 100);
  request.optimizer = &optimizer;
  request.threads = threads;
  request.keeps_scores = true;
  return request;
}

}  // namespace

TEST_CASE("slices side by side count as one after the other, on one thread and on three") {
  // gpu:0 takes 1 s, gpu:1 2 s: 2 2 1, then 1, then 2 2 cut short by the slice's budget.
  std::vector<Slice> slices = slices_of({2, 0, 5}, 3);
  slices.back().evaluations = 2;
  const Optimizer optimizer = runs(slices);
  for (const int threads : {1, 3}) {
    const SearchResult found = run_search(fast_and_slow(), request_of(optimizer, threads));
    std::vector<double> seconds;
    for (const Score& score : found.scores) seconds.push_back(to_seconds(score.step_ps));
    CHECK(seconds == std::vector<double>{2, 2, 1, 1, 2, 2});
    CHECK(found.evaluations == 6);
    CHECK(found.placement == on_devices({0}));
    REQUIRE(found.history.size() == 2);
    CHECK(found.history[1].evaluations == 3);
  }
}

TEST_CASE("what slices do after one that reaches the target does not count") {
  const Optimizer optimizer = runs(slices_of({1, 0, 3}, 10));
  for (const int threads : {1, 3}) {
    SearchRequest request = request_of(optimizer, threads);
    request.budget.target_ps = kPicosecondsPerSecond;
    const SearchResult found = run_search(fast_and_slow(), request);
    CHECK(found.evaluations == 2);
    CHECK(found.stopped == Stop::kTarget);
  }
}

TEST_CASE("a search resumed in the middle of its slices ends as without a break") {
  const Optimizer optimizer = runs(slices_of({2, 0, 5}, 10));
  SearchRequest request = request_of(optimizer, 1);
  const SearchResult whole = run_search(fast_and_slow(), request);
  REQUIRE(whole.scores.size() == 10);
  for (const std::ptrdiff_t stopped : {2, 3, 7}) {
    const SearchCheckpoint checkpoint = {request_facts(fast_and_slow(), request),
                                         {whole.scores.begin(), whole.scores.begin() + stopped}};
    SearchRequest again = request_of(optimizer, 2);
    again.resume = &checkpoint;
    const SearchResult resumed = run_search(fast_and_slow(), again);
    CHECK(resumed.scores == whole.scores);
    CHECK(resumed.evaluations == whole.evaluations);
    CHECK(resumed.placement == whole.placement);
  }
}

TEST_CASE("an interrupt within a slice keeps its scores until then and none of later slices") {
  std::atomic<bool> interrupt = false;
  Optimizer optimizer;
  optimizer.name = "slices";
  optimizer.run = [&](const OptionValues&, Search& search) {
    SideBySide(search).run(slices_of({0, 1, 2}, 10), [&](const Slice& slice, Search& part) {
      part.evaluate(on_devices({1}));
      if (slice.strategy == 1) interrupt = true;
      part.evaluate(on_devices({0}));
    });
  };
  SearchRequest request = request_of(optimizer, 1);
  request.interrupt = &interrupt;
  const SearchResult found = run_search(fast_and_slow(), request);
  // 2 1 of the first slice and 2 of the second.
  CHECK(found.scores.size() == 3);
  CHECK(found.stopped == Stop::kInterrupt);
}

namespace {

/// Runs tasks one after the other, the last first, and forgets those from `lost` on.
class Backwards : public SliceRunner {
 public:
  Backwards(const Problem& problem, const SearchRequest& request, std::size_t lost = 100)
      : problem_(problem), request_(request), lost_(lost) {}
  std::size_t at_once() override { return 7; }
  void run(std::span<const SliceTask> tasks, const std::function<void(std::size_t, SliceEnd)>& take,
           const std::function<bool()>& stop) override {
    for (std::size_t at = std::min(lost_, tasks.size()); at-- > 0;) {
      take(at, SideBySide::run_task(problem_, request_, tasks[at], slow_then_fast));
    }
    is_stopped = stop();
  }
  bool is_stopped = false;

 private:
  const Problem& problem_;
  const SearchRequest& request_;
  const std::size_t lost_;
};

}  // namespace

TEST_CASE("slices that run elsewhere, the last first, count as one after the other") {
  const Optimizer optimizer = runs(slices_of({2, 0, 5}, 3));
  const Problem problem = fast_and_slow();
  SearchRequest request = request_of(optimizer, 1);
  const SearchResult here = run_search(problem, request);
  const SearchRequest before = request;
  Backwards runner(problem, before);
  request.slices = &runner;
  const SearchResult found = run_search(problem, request);
  CHECK(found.scores == here.scores);
  CHECK(found.scores.size() == 7);  // 2 2 1, then 1, then 2 2 2
  CHECK_FALSE(runner.is_stopped);
}

TEST_CASE("slices elsewhere need not go on once an earlier one has reached the target") {
  const Optimizer optimizer = runs(slices_of({1, 0, 3}, 10));
  const Problem problem = fast_and_slow();
  SearchRequest request = request_of(optimizer, 1);
  request.budget.target_ps = kPicosecondsPerSecond;
  const SearchRequest before = request;
  Backwards runner(problem, before, 1);
  request.slices = &runner;
  const SearchResult found = run_search(problem, request);
  CHECK(runner.is_stopped);
  CHECK(found.evaluations == 2);
  CHECK(found.stopped == Stop::kTarget);
}

TEST_CASE("a resumed search runs slices here while scores are recorded, then elsewhere") {
  const Optimizer optimizer = runs(slices_of({2, 0, 5}, 10));
  const Problem problem = fast_and_slow();
  SearchRequest request = request_of(optimizer, 1);
  const SearchResult whole = run_search(problem, request);
  const SearchCheckpoint checkpoint = {request_facts(problem, request),
                                       {whole.scores.begin(), whole.scores.begin() + 2}};
  const SearchRequest before = request;
  Backwards runner(problem, before);
  request.slices = &runner;
  request.resume = &checkpoint;
  CHECK(run_search(problem, request).scores == whole.scores);
}

}  // namespace placer::testing
