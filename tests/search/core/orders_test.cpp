#include <catch2/catch.hpp>

#include "placer/search/run.hpp"
#include "placer/search/search.hpp"
#include "placer/search/walk_order.hpp"
#include "support/problems.hpp"
#include "support/searches.hpp"

namespace placer {
namespace {

/// Ops 0 -> 1 -> 2 and 3, 4 alone.
Problem chain_and_two() {
  std::vector<Op> ops(5);
  for (std::size_t i = 0; i < ops.size(); ++i) {
    ops[i].name = "op" + std::to_string(i);
    ops[i].seconds = {{"d", 1.0}};
  }
  std::vector<Tensor> tensors(2);
  tensors[0] = {.name = "a", .producer = OpId(0), .consumers = {OpId(1)}, .bytes = 0};
  tensors[1] = {.name = "b", .producer = OpId(1), .consumers = {OpId(2)}, .bytes = 0};
  return Problem(Graph("chain", std::move(ops), std::move(tensors)),
                 Topology({{.name = "d", .type = "cpu", .memory_bytes = 1}}, {}));
}

OpOrder order_of_ids(std::initializer_list<std::size_t> ids) {
  OpOrder order;
  for (const std::size_t id : ids) order.emplace_back(id);
  return order;
}

}  // namespace

TEST_CASE("an op shifts no further than its producers and consumers let it") {
  const Problem problem = chain_and_two();
  WalkOrder order(problem, order_of_ids({0, 3, 1, 4, 2}));
  order.propose(std::vector<OpShift>{{OpId(1), 4}});
  CHECK(order.proposed() == order_of_ids({0, 3, 4, 1, 2}));
  order.propose(std::vector<OpShift>{{OpId(1), 0}});
  CHECK(order.proposed() == order_of_ids({0, 1, 3, 4, 2}));
  CHECK(order.current() == order_of_ids({0, 3, 1, 4, 2}));
}

TEST_CASE("shifts of one proposal follow each other and a new proposal takes them back") {
  const Problem problem = chain_and_two();
  WalkOrder order(problem, order_of_ids({0, 1, 2, 3, 4}));
  order.propose(std::vector<OpShift>{{OpId(4), 0}, {OpId(3), 0}});
  CHECK(order.proposed() == order_of_ids({3, 4, 0, 1, 2}));
  order.propose(std::vector<OpShift>{{OpId(4), 3}});
  CHECK(order.proposed() == order_of_ids({0, 1, 2, 4, 3}));
  order.accept();
  CHECK(order.current() == order_of_ids({0, 1, 2, 4, 3}));
  CHECK(order.position(OpId(4)) == 3);
  order.propose({});
  CHECK(order.proposed() == order.current());
}

TEST_CASE("what a part runs by rank is kept with the order of ops in which it ran") {
  Optimizer by_rank;
  by_rank.name = "by-rank";
  by_rank.run = [](const OptionValues&, Search& search) {
    CHECK(search.searches_orders());
    Search part = search.part_under(Order::kPriority);
    CHECK(!part.searches_orders());
    while (part.evaluate(testing::random_placement(part.problem(), part.rng()))) {
    }
  };
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Rng rng(seed);
    const bool has_ties = seed % 2 == 0;  // of ops that take no time: who is first may change
    const Problem problem =
        testing::random_problem(rng, {.zero_times = has_ties, .many_slots = has_ties});
    SearchRequest request = testing::request_for("random", 10);
    request.optimizer = &by_rank;
    request.order = Order::kGiven;
    request.keeps_scores = true;
    const SearchResult whole = run_search(problem, request);
    REQUIRE(whole.order.size() == problem.op_count());
    CHECK(Simulator(problem, Order::kGiven).evaluate(whole.placement, whole.order) == whole.score);
    if (!has_ties) {
      CHECK(Simulator(problem, Order::kPriority).evaluate(whole.placement) == whole.score);
    }

    const SearchCheckpoint half{request_facts(problem, request),
                                {whole.scores.begin(), whole.scores.begin() + 5}};
    request.resume = &half;
    const SearchResult resumed = run_search(problem, request);
    CHECK(resumed.scores == whole.scores);
    CHECK(resumed.order == whole.order);
  }
}

}  // namespace placer
