// Chains of layers that memory cuts into runs, each with a device of its own.
#include "search/runs/contiguous_runs.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>

#include "placer/sim/simulator.hpp"
#include "support/problems.hpp"

namespace placer::testing {
namespace {

constexpr std::size_t kOps = 6, kDevices = 3;

/// A chain on two devices that are alike and one that is not.
Problem random_chain(Rng& rng) {
  std::vector<Op> ops;
  std::vector<Tensor> tensors;
  for (std::size_t op = 0; op < kOps; ++op) {
    const auto drawn = [&] { return 1 + static_cast<double>(rng.below(5)); };
    const double time = drawn();
    ops.push_back(timed_op("op" + std::to_string(op), 1));
    ops.back().seconds = {{"gpu:0", time}, {"gpu:1", drawn()}, {"gpu:2", time}};
    ops.back().params_bytes = static_cast<std::int64_t>(rng.below(10));
    if (op > 0)
      tensors.push_back(tensor(op - 1, {op}, 1 + static_cast<std::int64_t>(rng.below(9))));
  }
  return Problem(graph_of(std::move(ops), std::move(tensors)),
                 alike({.devices = kDevices, .memory_bytes = 30}));
}

bool is_a_run_for_each_device(const Placement& placement) {
  for (std::size_t first = 0; first < kOps; ++first) {
    for (std::size_t last = first + 2; last < kOps; ++last) {
      const DeviceId device = placement.devices[first];
      if (placement.devices[last] == device && placement.devices[last - 1] != device) return false;
    }
  }
  return true;
}

std::optional<Score> best_of_all_runs(const Problem& problem) {
  Simulator simulator(problem, Order::kFifo);
  std::optional<Score> best;
  for (std::size_t number = 0; number < 729; ++number) {
    std::vector<std::size_t> devices;
    for (std::size_t left = number; devices.size() < kOps; left /= kDevices) {
      devices.push_back(left % kDevices);
    }
    const Placement placement = on_devices(devices);
    if (!is_a_run_for_each_device(placement)) continue;
    const Score score = simulator.evaluate(placement);
    if (score.fits() && (!best || score < *best)) best = score;
  }
  return best;
}

TEST_CASE("of all cuts of a chain into runs that fit, the best is found") {
  Rng rng(21);
  int cut = 0, none = 0;
  for (int i = 0; i < 100; ++i) {
    const Problem problem = random_chain(rng);
    if (Simulator(problem, Order::kFifo).evaluate(*problem.all_on(DeviceId(0))).fits()) continue;
    const std::optional<Score> best = best_of_all_runs(problem);
    const std::vector<Placement> found = contiguous_runs(problem);
    none += best ? 0 : 1;
    if (!best) continue;
    REQUIRE(!found.empty());
    CHECK(Simulator(problem, Order::kFifo).evaluate(found.front()) == *best);
    cut += std::ranges::count(found.front().devices, found.front().devices.front()) <
                   static_cast<std::ptrdiff_t>(kOps)
               ? 1
               : 0;
  }
  CHECK(cut > 50);
  CHECK(none < 40);
}

TEST_CASE("what reads much of a group far ahead of it is on its device") {
  std::vector<Op> ops = seconds_each(std::vector<double>(8, 1));
  std::vector<Tensor> tensors = {tensor(0, {7}, 100)};
  for (std::size_t op = 0; op + 1 < ops.size(); ++op) {
    ops[op].params_bytes = 40;
    tensors.push_back(tensor(op, {op + 1}, 1));
  }
  const Problem problem(graph_of(std::move(ops), std::move(tensors)),
                        alike({.devices = 4, .memory_bytes = 150}));
  const std::vector<Placement> found = contiguous_runs(problem);
  REQUIRE(!found.empty());
  CHECK(found.front().devices[7] == found.front().devices[0]);
  CHECK(Simulator(problem, Order::kFifo).evaluate(found.front()).fits());
}

TEST_CASE("what fits on one device alone goes there, and a run goes on around it") {
  std::vector<Op> ops = seconds_each({1, 1, 1, 1, 1, 1});
  std::vector<Tensor> tensors;
  for (std::size_t op = 0; op < ops.size(); ++op) {
    ops[op].params_bytes = op == 2 ? 100 : 10;
    ops[op].seconds = {{"gpu:0", 50}, {"gpu:1", 1}, {"gpu:2", 1}};
    if (op > 0) tensors.push_back(tensor(op - 1, {op}, 1));
  }
  const Topology small = alike({.devices = 3, .memory_bytes = 40});
  std::vector<Device> devices = small.devices();
  devices[0].memory_bytes = 1000;
  const Problem problem(graph_of(std::move(ops), std::move(tensors)),
                        Topology(devices, small.links()));
  const std::vector<Placement> found = contiguous_runs(problem);
  REQUIRE(!found.empty());
  CHECK(found.front() == on_devices({1, 1, 0, 2, 2, 2}));
}

TEST_CASE("where everything fits on one device alone, nothing is left to cut") {
  std::vector<Op> ops = seconds_each({1, 1});
  for (Op& op : ops) op.params_bytes = 100;
  const Topology small = alike({.devices = 2, .memory_bytes = 40});
  std::vector<Device> devices = small.devices();
  devices[1].memory_bytes = 1000;
  const Problem problem(graph_of(std::move(ops), {}), Topology(devices, small.links()));
  CHECK(contiguous_runs(problem) == std::vector{on_devices({1, 1})});
}

TEST_CASE("no run is looked for among so many kinds of devices that it would take long") {
  std::vector<Op> ops = seconds_each({1, 1});
  for (Op& op : ops) {
    op.params_bytes = 1;
    op.seconds.clear();
    for (int device = 0; device < 64; ++device) {
      op.seconds.emplace_back("gpu:" + std::to_string(device), 1 + device);
    }
  }
  const Problem problem(graph_of(std::move(ops), {}), alike({.devices = 64, .memory_bytes = 1}));
  CHECK(contiguous_runs(problem).empty());
}

}  // namespace
}  // namespace placer::testing
