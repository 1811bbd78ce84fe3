#include "cli/ranks/rank_slices.hpp"

#include <catch2/catch.hpp>
#include <thread>

#include "cli/ranks/net.hpp"
#include "placer/io/devices_file.hpp"
#include "placer/model/zoo.hpp"
#include "placer/search/run.hpp"
#include "support/searches.hpp"

namespace placer {
namespace {

constexpr RankRules kQuick = {.beat_seconds = 0.01, .silent_seconds = 1, .pause_seconds = 1e-4};

/// Which `auto` does not prove, so that its slices run.
Problem searched() {
  return {generate("layered", {{"ops", std::int64_t{60}}}).graph, find_devices("2gpu")};
}

SearchRequest request_of(std::int64_t evaluations) {
  SearchRequest request = testing::request_for("auto", evaluations);
  request.keeps_scores = true;
  request.keeps_elites = 3;
  return request;
}

std::thread serving(Net& net, int rank, const Problem& problem, const SearchRequest& request) {
  return std::thread([&net, rank, problem, request] {
    Net::End end = net.end(rank);
    serve_slices(end, problem, request, kQuick);
  });
}

/// What rank 0 of `net` finds, once all other ranks have said that they are ready.
SearchResult found_on(Net& net, const Problem& problem, const SearchRequest& request) {
  Net::End end = net.end(0);
  while (net.waiting(0) < static_cast<std::size_t>(end.size() - 1)) std::this_thread::yield();
  RankSlices ranks(end, problem, request, kQuick);
  SearchRequest shared = request;
  shared.slices = &ranks;
  return run_search(problem, shared);
}

void check_same(const SearchResult& found, const SearchResult& alone) {
  CHECK(found.scores == alone.scores);
  CHECK(found.placement == alone.placement);
  CHECK(found.order == alone.order);
  CHECK(found.stopped == alone.stopped);
  REQUIRE(found.elites.size() == alone.elites.size());
  for (std::size_t i = 0; i < found.elites.size(); ++i) {
    CHECK(found.elites[i].placement == alone.elites[i].placement);
  }
}

TEST_CASE("Ranks score the same as one process, evaluation by evaluation") {
  const Problem problem = searched();
  for (const Order order : {Order::kFifo, Order::kGiven}) {
    SearchRequest request = request_of(8000);
    request.order = order;
    const SearchResult alone = run_search(problem, request);
    CHECK(alone.stopped == Stop::kEvaluations);
    for (const int size : {1, 2, 5}) {
      Net net(size);
      int units = 0;
      net.loses = [&](int, int, const RankWord& word) {
        units += word.kind == RankWord::Kind::kUnit;
        return false;
      };
      std::vector<std::thread> others;
      for (int rank = 1; rank < size; ++rank) {
        others.push_back(serving(net, rank, problem, request));
      }
      check_same(found_on(net, problem, request), alone);
      for (std::thread& other : others) other.join();
      CHECK((units > 0) == (size > 1));
    }
  }
}

TEST_CASE("Ranks search merged groups as one process does") {
  const Problem problem = searched();
  SearchRequest request = request_of(8000);
  request.grouping = {Grouping::Kind::kCount, 12};
  const SearchResult alone = run_search(problem, request);
  REQUIRE(alone.groups < problem.groups().size());
  Net net(2);
  std::thread other = serving(net, 1, problem, request);
  check_same(found_on(net, problem, request), alone);
  other.join();
}

TEST_CASE("The slice of a rank that dies is run again, and nothing else changes") {
  const Problem problem = searched();
  const SearchRequest request = request_of(8000);
  Net net(3);
  std::atomic<bool> has_died = false;
  net.loses = [&](int from, int, const RankWord& word) {
    if (from == 1 && word.kind == RankWord::Kind::kAnswer) has_died = true;
    return from == 1 && has_died;
  };
  std::thread one = serving(net, 1, problem, request), two = serving(net, 2, problem, request);
  check_same(found_on(net, problem, request), run_search(problem, request));
  CHECK(has_died);
  one.join();
  two.join();
}

TEST_CASE("A search whose time is up does not wait for a rank that says nothing") {
  const Problem problem = searched();
  SearchRequest request = testing::request_for("auto", 1);
  request.budget = {.seconds = 2};  // enough for slices of a slow build
  Net net(2);
  net.loses = [](int, int, const RankWord& word) { return word.kind == RankWord::Kind::kAnswer; };
  std::thread other = serving(net, 1, problem, request);
  const SearchResult found = found_on(net, problem, request);
  other.join();
  CHECK(found.stopped == Stop::kTime);
  CHECK(found.wall_seconds < 5);
}

TEST_CASE("An interrupt keeps what the slices of all ranks have found so far") {
  const Problem problem = searched();
  SearchRequest request = request_of(2'000'000'000);
  std::atomic<bool> interrupt = false;
  request.interrupt = &interrupt;
  Net net(2);
  std::atomic<std::size_t> cut_bytes = 0;
  net.loses = [&](int from, int, const RankWord& word) {
    if (from == 0 && word.kind == RankWord::Kind::kUnit) interrupt = true;
    if (from == 1 && word.kind == RankWord::Kind::kAnswer) cut_bytes = word.text.size();
    return false;
  };
  std::thread other = serving(net, 1, problem, request);
  const SearchResult found = found_on(net, problem, request);
  other.join();
  CHECK(found.stopped == Stop::kInterrupt);
  CHECK(cut_bytes > 0);
}

/// A run of one task, of which nothing is expected.
class OneTask {
 public:
  explicit OneTask(const std::string& strategy) { task_[0].slice.strategy_name = strategy; }
  void run(RankSlices& ranks) const {
    ranks.run(
        task_, [](std::size_t, const SliceEnd&) { FAIL("the slice has an end"); },
        [] { return false; });
  }

 private:
  std::vector<SliceTask> task_ = std::vector<SliceTask>(1);
};

TEST_CASE("What goes wrong in a slice is thrown by rank 0") {
  const Problem problem = searched();
  const SearchRequest request = request_of(10);
  Net net(1);
  Net::End end = net.end(0);
  RankSlices ranks(end, problem, request, kQuick);
  CHECK_THROWS_WITH(OneTask("sorcery").run(ranks),
                    "in a slice: a fault of ours: no strategy is called 'sorcery'");
}

}  // namespace
}  // namespace placer
