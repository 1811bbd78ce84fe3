// Batches that are scored elsewhere.
#include <catch2/catch.hpp>
#include <limits>

#include "placer/sim/simulator.hpp"
#include "search/core/evaluators.hpp"
#include "support/problems.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

/// Scores the first `most` of each batch of two or more.
class Other : public BatchScorer {
 public:
  explicit Other(Order order, std::size_t most = std::numeric_limits<std::size_t>::max())
      : order_(order), most_(most) {}
  std::vector<Score> scores(const Problem& placed, std::span<const Placement> placements,
                            std::span<const OpOrder> orders,
                            const std::function<bool()>& stop) override {
    if (placements.size() < 2 || stop()) return {};
    Simulator simulator(placed, order_);
    std::vector<Score> scores;
    for (std::size_t i = 0; i < std::min(most_, placements.size()); ++i) {
      scores.push_back(simulator.evaluate(placements[i], orders.empty() ? OpOrder() : orders[i]));
    }
    ++batches;
    scored += static_cast<std::int64_t>(scores.size());
    return scores;
  }
  std::int64_t scored = 0, batches = 0;

 private:
  const Order order_;
  const std::size_t most_;
};

/// Of 40 ops, which searches of 300 evaluations do not exhaust.
Problem many_placements() {
  Rng rng(7);
  for (;;) {
    Problem problem = random_problem(rng, {.most_ops = 40, .alike_devices = true, .limits = false});
    if (problem.groups().size() > 12 && problem.device_count() > 2) return problem;
  }
}

SearchRequest keeping_scores(const Optimizer& optimizer) {
  SearchRequest request = request_for(optimizer.name, 300);
  request.keeps_scores = true;
  return request;
}

TEST_CASE("an algorithm says that it scores in batches where its samples come in many of them") {
  const Problem problem = many_placements();
  for (const Optimizer& optimizer : runnable_optimizers()) {
    CAPTURE(optimizer.name);
    Other other(Order::kFifo);
    SearchRequest request = keeping_scores(optimizer);
    request.additions.single_devices = false;
    request.scorer = &other;
    const SearchResult found = run_search(problem, request);
    const bool scores_batches = other.batches > 1 && 2 * other.scored > found.evaluations;
    CHECK(scores_batches == optimizer.info.in_batches);
  }
}

TEST_CASE("others that score whole batches, parts of them or none change no score") {
  const Problem problem = many_placements();
  for (const Optimizer& optimizer : runnable_optimizers()) {
    if (!optimizer.info.in_batches) continue;
    CAPTURE(optimizer.name);
    for (const Order order : {Order::kFifo, Order::kGiven}) {
      SearchRequest request = keeping_scores(optimizer);
      request.order = order;
      request.grouping = {Grouping::Kind::kCount, 8};
      const SearchResult alone = run_search(problem, request);
      for (const std::size_t most : {0, 3, 1000}) {
        Other other(order, most);
        request.scorer = &other;
        const SearchResult found = run_search(problem, request);
        CHECK(found.scores == alone.scores);
        CHECK(found.placement == alone.placement);
        CHECK((other.scored > 0) == (most > 0));
      }
      request.scorer = nullptr;
    }
  }
}

TEST_CASE("a search that goes on from recorded scores lets others score those that follow alone") {
  const Problem problem = many_placements();
  SearchRequest request = keeping_scores(find_optimizer("random"));
  const SearchResult whole = run_search(problem, request);
  SearchCheckpoint checkpoint{request_facts(problem, request), whole.scores};
  checkpoint.scores.resize(100);
  request.resume = &checkpoint;
  Other other(Order::kFifo);
  request.scorer = &other;
  CHECK(run_search(problem, request).scores == whole.scores);
  CHECK(other.scored == 200);
}

TEST_CASE("others are told to stop by an interrupt, and one placement is scored all the same") {
  const std::atomic<bool> interrupt = true;
  SearchRequest request = keeping_scores(find_optimizer("random"));
  request.interrupt = &interrupt;
  Other other(Order::kFifo);
  request.scorer = &other;
  const SearchResult found = run_search(many_placements(), request);
  CHECK(found.stopped == Stop::kInterrupt);
  CHECK(found.evaluations == 1);
  CHECK(other.scored == 0);
}

}  // namespace
}  // namespace placer::testing
