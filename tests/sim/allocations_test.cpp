#include "support/allocations.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <vector>

#include "placer/sim/simulator.hpp"
#include "support/problems.hpp"

namespace placer::testing {
namespace {

TEST_CASE("A new vector counts as an allocation", "[sim]") {
  const auto before = allocation_count();
  if (!before) {
    WARN("skipped: the sanitizer has an allocator of its own");
    return;
  }
  auto vector = std::make_unique<std::vector<int>>(10, 1);
  CHECK(*allocation_count() == *before + 2);
  CHECK(vector->back() == 1);
}

TEST_CASE("Evaluating placements allocates nothing, in any order", "[sim]") {
  if (!allocation_count()) {
    WARN("skipped: the sanitizer has an allocator of its own");
    return;
  }
  const Rng seed(22);
  for (std::size_t i = 0; i < 200; ++i) {
    Rng rng = seed.stream("allocations", i);
    const Problem problem = random_problem(rng);
    const Placement first = random_placement(problem, rng);
    const Placement second = random_placement(problem, rng);
    const Sequences sequences = random_sequences(problem, second, rng);
    for (const Order order : kAllOrders) {
      Simulator simulator(problem, order);
      const std::size_t before = *allocation_count();
      simulator.evaluate(first);
      simulator.evaluate(second);
      simulator.evaluate(second, &sequences);
      const std::size_t after = *allocation_count();
      INFO("problem " << i << ", order " << order_name(order));
      CHECK(after == before);
    }
  }
}

}  // namespace
}  // namespace placer::testing
