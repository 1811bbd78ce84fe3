#include <catch2/catch.hpp>

#include "search/core/group_changes.hpp"
#include "support/problems.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

TEST_CASE("refinement of one group that cannot gain ends after forty tries") {
  const auto refined_from_the_best = [](Search& search) {
    search.evaluate(on_devices({0}));
    Rng rng = search.rng();
    CHECK(refine(search));
    const Neighbours neighbours(search.problem());
    Change change;
    for (int tries = 0; tries < 40; ++tries) {
      draw_adoption(search.problem(), neighbours, on_devices({0}), rng, change);
    }
    CHECK(rng.uniform() == search.rng().uniform());  // as many draws were made
  };
  search_with(fast_and_slow(), refined_from_the_best, 1000);
}

/// Five of six ops begin on gpu:1.
SearchResult exchanged(const Problem& problem) {
  const auto exchange_once = [](Search& search) {
    search.evaluate(on_devices({1, 1, 1, 1, 1, 0}));
    exchange_devices(search);
  };
  return search_with(problem, exchange_once, 1000);
}

TEST_CASE("a slow device and a fast one exchange what they have") {
  const SearchResult found = exchanged(fast_and_slow(6));
  CHECK(found.placement == on_devices({0, 0, 0, 0, 0, 1}));
  CHECK(found.evaluations == 3);  // the start, the exchange, and back in vain
}

TEST_CASE("in an exchange groups stay that may not go to the other device") {
  std::vector<Op> ops = fast_and_slow(6).graph().ops();
  ops[2] = on(ops[2], {"gpu:1"});
  const SearchResult found = exchanged(Problem(graph_of(std::move(ops), {}), alike()));
  CHECK(found.placement == on_devices({0, 0, 1, 0, 0, 1}));
}

TEST_CASE("devices that are alike exchange nothing") {
  const Problem problem(graph_of(seconds_each({1, 1, 1, 1, 1, 1}), {}), alike());
  CHECK(exchanged(problem).evaluations == 1);
}

}  // namespace
}  // namespace placer::testing
