// What every optimizer of optimizers.def must do, on a range of random problems.
#include <algorithm>
#include <catch2/catch.hpp>

#include "placer/sim/simulator.hpp"
#include "support/exhaustive.hpp"
#include "support/problems.hpp"
#include "support/sanitizers.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

constexpr std::int64_t kBudget = 150;
constexpr int kProblems = kSanitized ? 3 : 12;

void for_each_case(const std::function<void(const Optimizer&, const Problem&)>& check) {
  for (const Optimizer& optimizer : runnable_optimizers()) {
    Rng rng(2026);
    for (int round = 0; round < kProblems; ++round) {
      INFO(optimizer.name << ", problem " << round);
      check(optimizer, random_problem(rng));
    }
  }
}

bool same(const SearchResult& a, const SearchResult& b) {
  const auto key = [](const Improvement& step) { return std::pair(step.evaluations, step.score); };
  return a.placement == b.placement && a.score == b.score && a.evaluations == b.evaluations &&
         a.recent_mean_seconds == b.recent_mean_seconds && a.schedule_ps == b.schedule_ps &&
         std::ranges::equal(a.history, b.history, {}, key, key);
}

TEST_CASE("the best of every optimizer scores what the simulator says, on allowed devices") {
  for_each_case([](const Optimizer& optimizer, const Problem& problem) {
    const SearchResult result = run_search(problem, request_for(optimizer.name, kBudget));
    for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
      REQUIRE(problem.groups().is_allowed(group, result.placement[group]));
    }
    REQUIRE(Simulator(problem, Order::kFifo).evaluate(result.placement) == result.score);
  });
}

TEST_CASE("every optimizer keeps to its budget and improves from entry to entry of its history") {
  for_each_case([](const Optimizer& optimizer, const Problem& problem) {
    for (const std::int64_t budget : {1, 7, 61}) {
      const SearchResult result = run_search(problem, request_for(optimizer.name, budget));
      REQUIRE(result.evaluations >= 1);
      REQUIRE(result.evaluations <= budget);
      for (std::size_t i = 1; i < result.history.size(); ++i) {
        REQUIRE(result.history[i].score < result.history[i - 1].score);
        REQUIRE(result.history[i].evaluations > result.history[i - 1].evaluations);
      }
      REQUIRE(result.history.back().score == result.score);
    }
  });
}

TEST_CASE("every optimizer repeats itself from its seed, with one thread and with two") {
  for_each_case([](const Optimizer& optimizer, const Problem& problem) {
    SearchRequest request = request_for(optimizer.name, kBudget);
    request.seed = 7;
    const SearchResult first = run_search(problem, request);
    REQUIRE(same(first, run_search(problem, request)));
    request.threads = 2;
    REQUIRE(same(first, run_search(problem, request)));
  });
}

TEST_CASE("an anytime optimizer is never worse with a bigger budget") {
  for_each_case([](const Optimizer& optimizer, const Problem& problem) {
    if (!optimizer.info.anytime) return;
    Score before = Score::deadlock();
    for (const std::int64_t budget : {1, 10, 100, 300}) {
      const Score score = run_search(problem, request_for(optimizer.name, budget)).score;
      REQUIRE(score <= before);
      before = score;
    }
  });
}

TEST_CASE("every optimizer draws no random numbers where it says that it is deterministic") {
  for_each_case([](const Optimizer& optimizer, const Problem& problem) {
    if (!optimizer.info.deterministic) return;
    SearchRequest request = request_for(optimizer.name, kBudget);
    const SearchResult first = run_search(problem, request);
    request.seed = 99;
    REQUIRE(same(first, run_search(problem, request)));
  });
}

TEST_CASE("every optimizer copes with one op, with one device and without tensors") {
  const Problem tiny[] = {Problem(chain(1), alike()), Problem(chain(5), alike({.devices = 1})),
                          fast_and_slow(4)};
  for (const Optimizer& optimizer : runnable_optimizers()) {
    for (const Problem& problem : tiny) {
      INFO(optimizer.name);
      REQUIRE(run_search(problem, request_for(optimizer.name, kBudget)).score.fits());
    }
  }
}

TEST_CASE("an impossible memory limit leaves every optimizer with a finite overflow") {
  std::vector<Op> ops = {timed_op("a", 1), timed_op("b", 1)};
  ops[0].params_bytes = ops[1].params_bytes = 100;
  const Problem problem(graph_of(ops, {}), alike({.memory_bytes = 30}));
  for (const Optimizer& optimizer : runnable_optimizers()) {
    INFO(optimizer.name);
    const Score score = run_search(problem, request_for(optimizer.name, kBudget)).score;
    REQUIRE(score.overflow_bytes >= 140);  // each on its own device: twice 100 - 30
    REQUIRE(score.overflow_bytes <= 170);  // both on one
  }
}

TEST_CASE("every optimizer reads its own defaults back and refuses what is out of range") {
  const Problem problem(chain(3), alike());
  for (const Optimizer& optimizer : runnable_optimizers()) {
    SearchRequest request = request_for(optimizer.name, 1);
    for (const OptionInfo& option : optimizer.options) {
      INFO(optimizer.name << " " << option.name);
      request.options = {{option.name, parse_option(option, to_text(option.standard))}};
      REQUIRE_NOTHROW(run_search(problem, request));
      if (const auto* range = std::get_if<IntegerRange>(&option.range)) {
        request.options[option.name] = range->least - 1;
        REQUIRE_THROWS_AS(run_search(problem, request), Error);
        request.options[option.name] = range->most + 1;
      } else if (const auto* real = std::get_if<RealRange>(&option.range)) {
        request.options[option.name] = real->least - 1;
        REQUIRE_THROWS_AS(run_search(problem, request), Error);
        request.options[option.name] = real->most + 1;
      } else {
        request.options[option.name] = std::string("no such choice");
      }
      REQUIRE_THROWS_AS(run_search(problem, request), Error);
    }
    request.options = {{"no-such-option", std::int64_t{1}}};
    REQUIRE_THROWS_AS(run_search(problem, request), Error);
  }
}

TEST_CASE("on tiny problems nothing beats the exhaustive oracle") {
  Rng rng(5);
  for (int round = 0; round < 8; ++round) {
    const Problem problem = random_problem(rng, {.most_ops = 5, .most_devices = 3});
    const Score best = exhaustive_best(problem, Order::kFifo).score;
    for (const Optimizer& optimizer : runnable_optimizers()) {
      INFO(optimizer.name << ", problem " << round);
      REQUIRE(run_search(problem, request_for(optimizer.name, 300)).score >= best);
    }
  }
}

TEST_CASE("with merged groups every optimizer still keeps to its budget and its seed") {
  Rng rng(17);
  const Problem problem = random_problem(rng, {.most_ops = 60});
  for (const Optimizer& optimizer : runnable_optimizers()) {
    INFO(optimizer.name);
    SearchRequest request = request_for(optimizer.name, 200);
    request.grouping = {Grouping::Kind::kCount, 4};
    const SearchResult first = run_search(problem, request);
    REQUIRE(first.evaluations <= 200);
    REQUIRE(Simulator(problem, Order::kFifo).evaluate(first.placement) == first.score);
    request.threads = 2;
    REQUIRE(same(first, run_search(problem, request)));
  }
}

TEST_CASE("list schedulers, which see kept bytes only, are unfit for full activation memory") {
  for (const std::string_view name : {"heft", "cpop", "critical-path"}) {
    INFO(name);
    CHECK_THAT(find_optimizer(name).info.unfit_for,
               Catch::Contains("activations that fill the memory"));
  }
}

TEST_CASE("every optimizer says what it does and what it is unfit for") {
  REQUIRE(all_optimizers().size() >= 13);
  for (const Optimizer& optimizer : all_optimizers()) {
    INFO(optimizer.name);
    REQUIRE_FALSE(optimizer.info.summary.empty());
    REQUIRE_FALSE(optimizer.info.unfit_for.empty());
    REQUIRE(&find_optimizer(optimizer.name) == &optimizer);
  }
  REQUIRE_THROWS_WITH(find_optimizer("hefty"), Catch::Contains("did you mean 'heft'?"));
}

}  // namespace
}  // namespace placer::testing
