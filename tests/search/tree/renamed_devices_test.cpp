#include "search/tree/renamed_devices.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "support/problems.hpp"

namespace placer::testing {
namespace {

TEST_CASE("two of three devices can be named in two ways that differ") {
  const Problem problem(fork_join(2), alike({.devices = 3, .contention = Contention::kPorts}));
  std::set<std::vector<DeviceId>> seen;
  CHECK(each_renamed(problem, on_devices({0, 0, 1, 0}), [&](const Placement& renamed) {
    seen.insert(renamed.devices);
    return true;
  }));
  CHECK(seen == std::set{on_devices({1, 1, 0, 1}).devices});
}

TEST_CASE("renaming stops when it is told to, and is not begun where there are too many names") {
  const Problem problem(fork_join(7), alike({.devices = 8, .contention = Contention::kPorts}));
  CHECK_FALSE(each_renamed(problem, on_devices({0, 0, 0, 1, 1, 2, 2, 0, 0}),
                           [](const Placement&) { return false; }));
  bool called = false;
  CHECK_FALSE(each_renamed(problem, on_devices({0, 1, 2, 3, 4, 5, 6, 7, 0}),
                           [&](const Placement&) { return called = true; }));
  CHECK_FALSE(called);
}

TEST_CASE("where kinds of devices alternate, those without groups are named, too") {
  std::vector<Device> devices = alike({.devices = 4}).devices();
  devices[1].memory_bytes = devices[3].memory_bytes = 5;
  const Problem problem(fork_join(2),
                        Topology(devices, alike({.devices = 4}).links(), Contention::kPorts));
  std::set<std::vector<DeviceId>> seen;
  each_renamed(problem, on_devices({0, 0, 1, 0}), [&](const Placement& renamed) {
    seen.insert(renamed.devices);
    return true;
  });
  CHECK(seen.contains(on_devices({2, 2, 1, 2}).devices));
  CHECK(seen.contains(on_devices({0, 0, 3, 0}).devices));
  CHECK(seen.contains(on_devices({2, 2, 3, 2}).devices));
}

TEST_CASE("names of devices matter where a tensor goes to two over one channel") {
  const Topology shared = alike({.devices = 3, .contention = Contention::kEgress});
  const Problem problem(fork_join(2), shared);
  CHECK(is_renamable(problem, on_devices({0, 0, 1, 0})));
  CHECK_FALSE(is_renamable(problem, on_devices({0, 1, 2, 0})));
  const Problem apart(fork_join(2), alike({.devices = 3}));
  CHECK(is_renamable(apart, on_devices({0, 1, 2, 0})));
}

TEST_CASE("all names of devices take the same time where they do not matter, in any order of ops") {
  Rng rng(23);
  int renamable = 0, renamed = 0;
  for (int round = 0; round < 600; ++round) {
    const Problem problem = random_problem(rng, {.most_ops = 10, .alike_devices = true});
    const Placement placement = random_placement(problem, rng);
    if (!is_renamable(problem, placement)) continue;
    ++renamable;
    for (const Order order :
         {Order::kFifo, Order::kPriority, Order::kPct, Order::kMsr, Order::kProgram}) {
      Simulator simulator(problem, order);
      const Score score = simulator.evaluate(placement);
      each_renamed(problem, placement, [&](const Placement& other) {
        ++renamed;
        CHECK(simulator.evaluate(other) == score);
        return true;
      });
    }
  }
  CHECK(renamable > 100);
  CHECK(renamed > 1'000);
}

}  // namespace
}  // namespace placer::testing
