#include "cli/commands/timed_search.hpp"

#include <catch2/catch.hpp>
#include <limits>

namespace placer {
namespace {

TEST_CASE("A search leaves time to the page that follows it, at most half of what is left") {
  // Five simulations have taken 0.1 s: 0.2 s for a summary, and 120 times 0.02 s for a page.
  CHECK(search_seconds(10, 0.1, 5, Afterwards::kSummary) == Approx(9.8));
  CHECK(search_seconds(10, 0.1, 5, Afterwards::kPage) == Approx(6.8));
  CHECK(search_seconds(1.2, 0.1, 5, Afterwards::kPage) == Approx(0.25));
  CHECK(search_seconds(0.1, 0.1, 5, Afterwards::kSummary) == Approx(1e-6));
  const double forever = std::numeric_limits<double>::infinity();
  CHECK(search_seconds(forever, 0.1, 5, Afterwards::kPage) == forever);
}

}  // namespace
}  // namespace placer
