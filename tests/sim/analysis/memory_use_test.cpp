#include "placer/sim/memory_use.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "support/problems.hpp"

namespace placer::testing {
namespace {

using Samples = std::vector<MemorySample>;

std::vector<Samples> use_of(const Problem& problem, const Placement& placement,
                            Schedule* schedule) {
  Simulator(problem, Order::kFifo).evaluate(placement, nullptr, schedule);
  return memory_use(problem, *schedule);
}

// The fifth worked example of the rules: a 0-2 on 0, its byte travels 2-3, b 3-6 on 1.
TEST_CASE("An output is held until it has been sent, and its copy until it has been used") {
  Op a = timed_op("a", 2), b = timed_op("b", 3);
  a.params_bytes = 10;
  b.temp_bytes = 5;
  const Problem problem(graph_of({a, b}, {tensor(0, {1}, 1)}), alike());
  Schedule schedule;
  const auto use = use_of(problem, on_devices({0, 1}), &schedule);
  constexpr Picoseconds second_ps = 1'000'000'000'000;
  CHECK(use[0] == Samples{{0, 11}, {3 * second_ps, 10}});
  CHECK(use[1] == Samples{{0, 0}, {2 * second_ps, 1}, {3 * second_ps, 6}, {6 * second_ps, 0}});
}

TEST_CASE("The most that a device holds over time is its peak, on random problems") {
  Rng rng(7);
  for (int i = 0; i < 400; ++i) {
    const Problem problem = random_problem(rng);
    Schedule schedule;
    const auto use = use_of(problem, random_placement(problem, rng), &schedule);
    for (std::size_t device = 0; device < use.size(); ++device) {
      REQUIRE(std::ranges::max_element(use[device], {}, &MemorySample::bytes)->bytes ==
              schedule.peak_bytes[device]);
      REQUIRE(std::ranges::is_sorted(use[device], std::ranges::less(), &MemorySample::time_ps));
    }
  }
}

TEST_CASE(
    "What is held at the peak is told apart: parameters, kept, activations, received, temporary") {
  // a 0-2 on 0 makes 4 bytes for b and keeps 3; they travel 2-6, b 6-9 on 1.
  Op a = timed_op("a", 2), b = timed_op("b", 3);
  a.params_bytes = 10;
  a.temp_bytes = 2;
  b.params_bytes = 5;
  b.temp_bytes = 1;
  Tensor kept = tensor(0, {}, 3);
  kept.keep = true;
  const Problem problem(graph_of({a, b}, {tensor(0, {1}, 4), kept}), alike());
  Schedule schedule;
  use_of(problem, on_devices({0, 1}), &schedule);
  const std::vector<HeldAtPeak> held = held_at_peak(problem, schedule);
  constexpr Picoseconds second_ps = 1'000'000'000'000;
  CHECK(held[0] == HeldAtPeak{0, 10, 3, 4, 0, 2});
  CHECK(held[1] == HeldAtPeak{6 * second_ps, 5, 0, 0, 4, 1});
}

TEST_CASE("The parts of the peak add up to it, on random problems") {
  Rng rng(8);
  for (int i = 0; i < 200; ++i) {
    const Problem problem = random_problem(rng);
    Schedule schedule;
    use_of(problem, random_placement(problem, rng), &schedule);
    const std::vector<HeldAtPeak> held = held_at_peak(problem, schedule);
    for (std::size_t device = 0; device < held.size(); ++device) {
      REQUIRE(held[device].total() == schedule.peak_bytes[device]);
    }
  }
}

}  // namespace
}  // namespace placer::testing
