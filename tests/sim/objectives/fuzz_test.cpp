#include <catch2/catch.hpp>

#include "support/fuzz_pipelines.hpp"

namespace placer {
namespace {

TEST_CASE("Pipelines and calls of random problems are as the referee has them, and so are proofs") {
  testing::PipelineFigures figures;
  for (std::size_t index = 0; index < 300; ++index) {
    CHECK(testing::fuzz_pipelines(1, index, figures) == "");
  }
  CHECK(figures.proven > 20);
}

}  // namespace
}  // namespace placer
