#include <catch2/catch.hpp>

#include "support/fuzz_exact.hpp"
#include "support/sanitizers.hpp"

namespace placer::testing {
namespace {

TEST_CASE("no proof of the best throughput contradicts another") {
  ExactFigures figures;  // scripts/fuzz.sh exact tries more
  const std::size_t count = kSanitized ? 10 : 60;
  for (std::size_t i = 0; i < count; ++i) REQUIRE(fuzz_exact(20, i, figures) == "");
  CHECK(figures.by_exhaustive > figures.problems / 3);
  CHECK(figures.by_several > figures.problems / (has_milp() ? 3 : 20));
}

}  // namespace
}  // namespace placer::testing
