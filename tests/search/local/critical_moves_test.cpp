#include "search/local/critical_moves.hpp"

#include <catch2/catch.hpp>

#include "support/problems.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

TEST_CASE("two ops that change devices are estimated by the longer one, as if alone: 3 s") {
  Optimizer optimizer;
  optimizer.run = [](const OptionValues&, Search& search) {
    const Neighbours neighbours(search.problem());
    CriticalMoves moves(search.problem(), neighbours);
    const std::optional<Walk> walk =
        moves.walk_from(search, on_devices({0, 1}), {OpId(0), OpId(1)});
    REQUIRE(walk);
    int exchanges = 0;
    for (int i = 0; i < 100; ++i) {
      Change change;
      moves.draw(*walk, search.rng(), 1, change);
      if (change.moves.size() != 2) continue;
      ++exchanges;
      CHECK(change.estimate_ps == to_picoseconds(3));
    }
    CHECK(exchanges > 10);
  };
  SearchRequest request = request_for("random", 10);
  request.optimizer = &optimizer;
  request.order = Order::kGiven;
  run_search(Problem(graph_of(seconds_each({3, 1}), {}), alike()), request);
}

}  // namespace
}  // namespace placer::testing
