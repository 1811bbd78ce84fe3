#include "search/local/portfolio.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <regex>

#include "placer/search/run.hpp"
#include "support/events.hpp"
#include "support/problems.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

/// Takes the first op that is on the slow device to the fast one.
void move_one(Search& search) {
  Placement placement = *search.best();
  const auto slow = std::ranges::find(placement.devices, DeviceId(1));
  if (slow != placement.devices.end()) *slow = DeviceId(0);
  while (search.evaluate(placement)) {
  }
}

void stay(Search& search) {
  while (search.evaluate(*search.best())) {
  }
}

void all_slow(Search& search) {
  while (search.evaluate(*search.problem().all_on(DeviceId(1)))) {
  }
}

SearchResult run_portfolio(int threads, Events& events, std::int64_t evaluations = 80'000,
                           bool leads = false, std::optional<double> seconds = std::nullopt,
                           std::size_t ops = 12) {
  Optimizer optimizer;
  optimizer.name = "portfolio";
  optimizer.run = [leads](const OptionValues&, Search& search) {
    search.evaluate(*search.problem().all_on(DeviceId(1)));
    Portfolio(search, "test",
              {{"anew", Turns::kHalving, all_slow, true, leads},
               {"stay", Turns::kImproving, stay},
               {"move", Turns::kImproving, move_one}})
        .run();
  };
  SearchRequest request = request_for("random", evaluations);
  request.optimizer = &optimizer;
  request.threads = threads;
  request.keeps_scores = true;
  request.observer = events.from(EventLevel::kInfo);
  if (seconds) request.budget = {.seconds = *seconds};
  // 12 independent ops of 1 s on gpu:0 and 2 s on gpu:1: 8 on gpu:0 take 8 s, as do 4 on gpu:1.
  return run_search(fast_and_slow(ops), request);
}

/// How many slices of `name` the rounds had.
int slices_of(const std::string& name, const Events& events) {
  int slices = 0;
  const std::regex wanted(name + "(?: \\((\\d+) times\\))?");
  for (const std::string& message : events.messages(EventLevel::kInfo, "test")) {
    std::smatch found;
    if (!std::regex_search(message, found, wanted)) continue;
    slices += found[1].matched ? std::stoi(found[1]) : 1;
  }
  return slices;
}

}  // namespace

TEST_CASE("a portfolio spends its budget to the last evaluation and most of it on what gains") {
  Events events;
  const SearchResult found = run_portfolio(1, events);
  CHECK(found.evaluations == 80'000);
  CHECK(to_seconds(found.score.step_ps) == 8);
  CHECK(slices_of("anew", events) > 0);
  CHECK(slices_of("stay", events) > 0);
  CHECK(slices_of("move", events) > slices_of("stay", events));
}

TEST_CASE("with few evaluations only what leads begins anew") {
  Events others, leading;
  run_portfolio(1, others, 1000);
  run_portfolio(1, leading, 1000, true);
  CHECK(slices_of("anew", others) == 0);
  CHECK(slices_of("anew", leading) == 1);
}

TEST_CASE("what opens a portfolio has the first turn and no other") {
  Events events;
  Optimizer optimizer;
  optimizer.name = "portfolio";
  optimizer.run = [](const OptionValues&, Search& search) {
    search.evaluate(*search.problem().all_on(DeviceId(1)));
    Portfolio(search, "test",
              {{"stay", Turns::kImproving, stay}, {"open", Turns::kOpening, move_one}})
        .run();
  };
  SearchRequest request = request_for("random", 10'000);
  request.optimizer = &optimizer;
  request.observer = events.from(EventLevel::kInfo);
  const SearchResult found = run_search(fast_and_slow(12), request);
  CHECK(to_seconds(found.score.step_ps) == 22);
  CHECK(events.messages(EventLevel::kInfo, "test").front().starts_with("open: "));
  CHECK(slices_of("open", events) == 1);
  CHECK(slices_of("stay", events) > 2);
}

TEST_CASE("what halves from the best has no turn where nothing is known yet") {
  for (const bool is_known : {false, true}) {
    Events events;
    Optimizer optimizer;
    optimizer.name = "portfolio";
    optimizer.run = [is_known](const OptionValues&, Search& search) {
      if (is_known) search.evaluate(*search.problem().all_on(DeviceId(1)));
      Portfolio(search, "test",
                {{"again", Turns::kHalving, stay}, {"anew", Turns::kHalving, all_slow, true}})
          .run();
    };
    SearchRequest request = request_for("random", 80'000);
    request.optimizer = &optimizer;
    request.observer = events.from(EventLevel::kInfo);
    run_search(fast_and_slow(12), request);
    CHECK((slices_of("again", events) > 0) == is_known);
    CHECK(slices_of("anew", events) > 0);
  }
}

TEST_CASE("a portfolio whose time is too short for more than one slice spends it in that slice") {
  Events events;
  const SearchResult found = run_portfolio(1, events, 0, false, 0.1, 20'000);
  CHECK(found.stopped == Stop::kTime);
}

TEST_CASE("a portfolio scores the same on four threads as on one, evaluation by evaluation") {
  Events events;
  const SearchResult one = run_portfolio(1, events), four = run_portfolio(4, events);
  CHECK(four.scores == one.scores);
  CHECK(four.placement == one.placement);
}

}  // namespace placer::testing
