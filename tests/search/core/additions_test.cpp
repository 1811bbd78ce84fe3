// What a run adds to an algorithm, and what is left of it as published.
#include <catch2/catch.hpp>

#include "placer/search/run.hpp"
#include "search/core/plain_placements.hpp"
#include "support/problems.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

/// A learner that draws one placement: everything on gpu:1, the slow device.
void draw_slow(Search& search) {
  begin_with_single_devices(search);
  search.evaluate(on_devices({1}));
}

SearchResult draw_slow_with(const Additions& additions, bool start) {
  const Optimizer optimizer = make_optimizer({}, draw_slow);
  SearchRequest request;
  request.optimizer = &optimizer;
  request.budget.evaluations = 10;
  request.additions = additions;
  if (start) request.start = on_devices({0});
  return run_search(fast_and_slow(), request);
}

TEST_CASE("an own best sample is neither a single device that was tried first nor the start") {
  for (const bool start : {false, true}) {
    const SearchResult result = draw_slow_with({}, start);
    CHECK(to_seconds(result.score.step_ps) == 1);
    REQUIRE(result.best_sample);
    CHECK(to_seconds(result.best_sample->step_ps) == 2);
  }
}

TEST_CASE("as published a learner draws at once: one evaluation, and the slow device stays") {
  const SearchResult result = draw_slow_with(kAsPublished, false);
  CHECK(result.evaluations == 1);
  CHECK(to_seconds(result.score.step_ps) == 2);
}

TEST_CASE("an own best sample is not what the refinement has found") {
  const Problem problem(chain(12), alike({.devices = 3}));
  SearchRequest request = request_for("round-robin", 200);
  request.grouping = {Grouping::Kind::kCount, 6};
  const SearchResult refined = run_search(problem, request);
  CHECK(refined.samples < refined.evaluations);
  request.additions.refinement = false;
  const SearchResult plain = run_search(problem, request);
  CHECK(plain.samples == plain.evaluations);
  CHECK(plain.best_sample == plain.score);
  CHECK(refined.best_sample == plain.score);
}

TEST_CASE("without tuning the options left out are the paper's, and those given stand") {
  SearchRequest request;
  request.optimizer = &find_optimizer("post");
  const auto rate = [&] {
    return std::get<double>(completed_options(request).at("learning-rate"));
  };
  CHECK(rate() == 0.3);
  request.additions = kAsPublished;
  CHECK(rate() == 1);
  request.options["learning-rate"] = 0.5;
  CHECK(rate() == 0.5);
  request.options = {{"preset", std::string("tuned")}};
  CHECK(rate() == 0.3);
}

TEST_CASE("genetic and hill-climb begin at random as published, with one device otherwise") {
  const Problem problem(chain(30, 100), alike());  // every cut costs 100 s
  for (const char* name : {"genetic", "hill-climb"}) {
    INFO(name);
    SearchRequest request = request_for(name, 10);
    CHECK(to_seconds(run_search(problem, request).score.step_ps) == 30);
    request.additions = kAsPublished;
    CHECK(to_seconds(run_search(problem, request).score.step_ps) > 500);
  }
}

}  // namespace
}  // namespace placer::testing
