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

}  // namespace
}  // namespace placer::testing
