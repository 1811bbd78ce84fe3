#include "support/allocations.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <memory>
#include <vector>

#include "placer/sim/incremental.hpp"
#include "placer/sim/simulator.hpp"
#include "support/problems.hpp"
#include "support/skipped.hpp"

namespace placer::testing {
namespace {

TEST_CASE("A new vector counts as an allocation", "[sim]") {
  const auto before = allocation_count();
  if (!before) {
    skip("the sanitizer has an allocator of its own");
    return;
  }
  auto vector = std::make_unique<std::vector<int>>(10, 1);
  CHECK(*allocation_count() == *before + 2);
  CHECK(vector->back() == 1);
}

TEST_CASE("Evaluating placements allocates nothing, in any order", "[sim]") {
  if (!allocation_count()) {
    skip("the sanitizer has an allocator of its own");
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
      INFO("problem " << i << ", order " << name_of(order));
      CHECK(after == before);
    }
  }
}

TEST_CASE("Proposing and accepting moves allocates nothing", "[sim][incremental]") {
  if (!allocation_count()) {
    skip("the sanitizer has an allocator of its own");
    return;
  }
  const Problem problem(chain(100), alike());
  Simulator simulator(problem, Order::kFifo);
  Incremental incremental(simulator);
  Placement current = *problem.all_on(DeviceId(0)), proposed = current;
  const std::size_t before = *allocation_count();
  for (const GroupId group : IdRange<GroupId>(100)) {
    const std::array<Move, 1> moves = {Move{group, DeviceId(1)}};
    proposed[group] = DeviceId(1);
    incremental.propose(current, proposed, moves);
    incremental.accept();
    current[group] = DeviceId(1);
  }
  CHECK(*allocation_count() == before);
  CHECK(incremental.work().full_evaluations == 0);
}

}  // namespace
}  // namespace placer::testing
