#include "search/tree/partial_bound.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>

#include "support/problems.hpp"

namespace placer::testing {
namespace {

constexpr Picoseconds kAny = std::numeric_limits<Picoseconds>::max();

/// With the first `count` groups placed.
Picoseconds bound_ps(const Problem& problem, const Placement& placement, std::size_t count) {
  const MemoryFit fit(problem);
  PartialBound bound(problem, fit);
  for (std::size_t group = 0; group < count; ++group) {
    bound.place(GroupId(group), placement[GroupId(group)]);
  }
  return bound.step_ps(kAny);
}

TEST_CASE("a bound pays for the transfers that are certain") {
  const Problem problem(chain(3, 5), alike());
  CHECK(bound_ps(problem, on_devices({0, 1, 0}), 0) == to_picoseconds(3));
  CHECK(bound_ps(problem, on_devices({0, 1, 0}), 2) == to_picoseconds(8));
  CHECK(bound_ps(problem, on_devices({0, 1, 0}), 3) == to_picoseconds(13));
}

TEST_CASE("a bound knows what a device has to do") {
  const Problem problem(graph_of(seconds_each({1, 2, 3}), {}), alike());
  CHECK(bound_ps(problem, on_devices({0, 0, 0}), 2) == to_picoseconds(3));
  CHECK(bound_ps(problem, on_devices({0, 0, 0}), 3) == to_picoseconds(6));
}

TEST_CASE("a bound knows what a channel has to send") {
  // Three ops of a second on one device, each of which sends 4 s to the other.
  const Problem problem(graph_of(seconds_each({1, 1, 1, 1, 1, 1}),
                                 {tensor(0, {3}, 4), tensor(1, {4}, 4), tensor(2, {5}, 4)}),
                        alike());
  CHECK(bound_ps(problem, on_devices({0, 0, 0, 1, 1, 1}), 6) == to_picoseconds(1 + 12 + 1));
}

TEST_CASE("what is enough ends a bound early, and what is placed can be taken back") {
  const Problem problem(chain(3, 5), alike());
  const MemoryFit fit(problem);
  PartialBound bound(problem, fit);
  bound.place(GroupId(0), DeviceId(0));
  bound.place(GroupId(1), DeviceId(1));
  CHECK(bound.step_ps(1) >= 1);
  bound.take_back(GroupId(1));
  bound.place(GroupId(1), DeviceId(0));
  CHECK(bound.step_ps(kAny) == to_picoseconds(3));
}

TEST_CASE("no placement that fits is faster than the bound of any part of it, in any order") {
  Rng rng(17);
  int fitting = 0;
  for (int round = 0; round < 400; ++round) {
    const Problem problem = random_problem(rng, {.most_ops = 12});
    if (!MemoryFit(problem).infeasible().empty()) continue;
    const Placement placement = random_placement(problem, rng);
    Picoseconds step_ps = kAny;
    for (const Order order : kAllOrders) {
      const Score score = Simulator(problem, order).evaluate(placement);
      if (score.fits()) step_ps = std::min(step_ps, score.step_ps);
    }
    if (step_ps == kAny) continue;
    ++fitting;
    Picoseconds before_ps = 0;
    for (std::size_t count = 0; count <= problem.groups().size(); ++count) {
      const Picoseconds now_ps = bound_ps(problem, placement, count);
      CHECK(now_ps >= before_ps);
      CHECK(now_ps <= step_ps);
      before_ps = now_ps;
    }
  }
  CHECK(fitting > 100);
}

}  // namespace
}  // namespace placer::testing
