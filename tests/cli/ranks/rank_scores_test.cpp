#include "cli/ranks/rank_scores.hpp"

#include <catch2/catch.hpp>
#include <thread>

#include "cli/ranks/net.hpp"
#include "cli/ranks/score_text.hpp"
#include "placer/io/devices_file.hpp"
#include "placer/model/zoo.hpp"
#include "placer/search/training.hpp"
#include "support/searches.hpp"

namespace placer {
namespace {

constexpr RankRules kQuick = {.beat_seconds = 0.01, .silent_seconds = 1, .pause_seconds = 1e-4};
constexpr ShareRules kAll = {.least_ops = 1};  // whatever it costs

Problem layered(std::int64_t ops) {
  return {generate("layered", {{"ops", ops}}).graph, find_devices("2gpu")};
}

SearchRequest request_of(const char* algorithm, std::int64_t evaluations = 200) {
  SearchRequest request = testing::request_for(algorithm, evaluations);
  request.keeps_scores = true;
  return request;
}

/// All other ranks of a net, each in a thread of its own, and rank 0.
class Ranks {
 public:
  Ranks(Net& net, const ScoreJob& job) : end_(net.end(0)) {
    for (int rank = 1; rank < end_.size(); ++rank) {
      others_.emplace_back([&net, rank, job] {
        Net::End end = net.end(rank);
        serve_scores(end, job, kQuick);
      });
    }
    while (net.waiting(0) < others_.size()) std::this_thread::yield();
    zero_.emplace(end_, job, nobody_, kQuick, kAll);
  }
  ~Ranks() {
    zero_.reset();
    for (std::thread& other : others_) other.join();
  }
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  BatchScorer& of(std::size_t problem) { return zero_->of(problem); }

 private:
  Net::End end_;
  const Observer nobody_;
  std::vector<std::thread> others_;
  std::optional<RankScores> zero_;
};

SearchResult found_on(Net& net, const Problem& problem, SearchRequest request) {
  Ranks ranks(
      net,
      {.problems = std::span(&problem, 1), .order = request.order, .interrupt = request.interrupt});
  request.scorer = &ranks.of(0);
  return run_search(problem, request);
}

/// Counts the units that rank 0 sends.
void count_units(Net& net, std::atomic<int>& units) {
  net.loses = [&units](int, int, const RankWord& word) {
    units += word.kind == RankWord::Kind::kUnit;
    return false;
  };
}

void check_same(const SearchResult& found, const SearchResult& alone) {
  CHECK(found.scores == alone.scores);
  CHECK(found.placement == alone.placement);
  CHECK(found.order == alone.order);
  CHECK(found.stopped == alone.stopped);
}

TEST_CASE("Ranks score the batches of learners as one process does") {
  const Problem problem = layered(60);
  for (const char* algorithm : {"post", "gdp", "genetic"}) {
    CAPTURE(algorithm);
    SearchRequest request = request_of(algorithm);
    for (const std::size_t groups : {std::size_t{1000}, std::size_t{12}}) {
      request.grouping = {Grouping::Kind::kCount, groups};
      const SearchResult alone = run_search(problem, request);
      CHECK((alone.groups < problem.groups().size()) == (groups == 12));
      for (const int size : {1, 2, 5}) {
        Net net(size);
        std::atomic<int> units = 0;
        count_units(net, units);
        check_same(found_on(net, problem, request), alone);
        CHECK((units > 0) == (size > 1));
      }
    }
  }
}

TEST_CASE("Ranks score placements with orders of ops of their own") {
  const Problem problem = layered(60);
  SearchRequest request = request_of("brkga", 600);
  request.order = Order::kGiven;
  const SearchResult alone = run_search(problem, request);
  for (const int size : {1, 2, 5}) {
    Net net(size);
    std::size_t orders = 0;
    net.loses = [&](int, int, const RankWord& word) {
      if (word.kind == RankWord::Kind::kUnit) orders += score_unit(word.text).orders.size();
      return false;
    };
    check_same(found_on(net, problem, request), alone);
    CHECK((orders > 0) == (size > 1));
  }
}

TEST_CASE("The share of a rank that dies is scored again, and nothing else changes") {
  const Problem problem = layered(60);
  const SearchRequest request = request_of("post");
  Net net(3);
  std::atomic<bool> has_died = false;
  net.loses = [&](int from, int, const RankWord& word) {
    if (from == 1 && word.kind == RankWord::Kind::kAnswer) has_died = true;
    return from == 1 && has_died;
  };
  check_same(found_on(net, problem, request), run_search(problem, request));
  CHECK(has_died);
}

TEST_CASE("Ranks that train on two graphs learn the same policy as one process") {
  const std::vector<Problem> problems = {layered(60), layered(90)};
  TrainingRequest request;
  request.optimizer = &find_optimizer("gdp");
  request.options = testing::request_for("gdp", 1).options;
  request.options["width"] = std::int64_t{16};
  request.grouping = {Grouping::Kind::kCount, 16};
  request.evaluations = 200;
  const TrainingResult alone = train(problems, request);
  for (const int size : {1, 2, 5}) {
    Net net(size);
    std::atomic<int> units = 0;
    count_units(net, units);
    Ranks ranks(net, {.problems = problems});
    request.scorers = {&ranks.of(0), &ranks.of(1)};
    const TrainingResult found = train(problems, request);
    CHECK(found.policy == alone.policy);
    CHECK(found.graphs[1].placement == alone.graphs[1].placement);
    CHECK((units > 0) == (size > 1));
  }
}

TEST_CASE("A search whose time is up does not wait for a rank that never answers") {
  const Problem problem = layered(60);
  SearchRequest request = request_of("post");
  request.budget = {.seconds = 0.3};
  Net net(2);
  net.loses = [](int, int, const RankWord& word) { return word.kind == RankWord::Kind::kAnswer; };
  const SearchResult found = found_on(net, problem, request);
  CHECK(found.stopped == Stop::kTime);
  CHECK(found.wall_seconds < 5);
}

TEST_CASE("An interrupt ends a search whose batches are on all ranks") {
  const Problem problem = layered(60);
  SearchRequest request = request_of("random", 2'000'000'000);
  std::atomic<bool> interrupt = false;
  request.interrupt = &interrupt;
  Net net(2);
  std::atomic<int> units = 0;
  net.loses = [&](int, int, const RankWord& word) {
    if (word.kind == RankWord::Kind::kUnit && ++units == 3) interrupt = true;
    return false;
  };
  const SearchResult found = found_on(net, problem, request);
  CHECK(found.stopped == Stop::kInterrupt);
  CHECK(found.evaluations >= 128);  // two batches of random are whole
  CHECK(found.evaluations < 256);
}

TEST_CASE("A share is an even part of a batch that is worth a message and soon done") {
  const ShareRules rules = {.least_ops = 1000, .most_ops = 10000};
  CHECK(share_of_batch(12, 500, 4, rules) == 3);   // 1500
  CHECK(share_of_batch(12, 300, 4, rules) == 4);   // 3 would be 900
  CHECK(share_of_batch(6, 300, 4, rules) == 0);    // two of 4 are not there
  CHECK(share_of_batch(12, 500, 1, rules) == 0);   // nobody else
  CHECK(share_of_batch(64, 500, 2, rules) == 16);  // two of 16 for each, not 20, 20, 20 and 4
  CHECK(share_of_batch(2, 20000, 2, rules) == 1);  // more than most, but no part of a placement
  CHECK(share_of_batch(2, 0, 2, rules) == 0);
}

}  // namespace
}  // namespace placer
