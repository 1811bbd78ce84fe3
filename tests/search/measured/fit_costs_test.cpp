#include "placer/search/fit_costs.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "support/problems.hpp"

namespace placer {
namespace {

using namespace testing;

/// Four ops of 10, 20, 30 and 40 flops, one after the other over tensors of 100 bytes.
Graph work_chain() {
  std::vector<Op> ops;
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < 4; ++i) {
    Op op;
    op.name = "op" + std::to_string(i);
    op.type = "matmul";
    op.flops = 10.0 * static_cast<double>(i + 1);
    ops.push_back(op);
    if (i > 0) tensors.push_back(tensor(i - 1, {i}, 100));
  }
  return graph_of(std::move(ops), std::move(tensors));
}

/// Two devices of 10 flops a second at this efficiency, joined by a link.
Topology two(double efficiency, double bytes_per_second) {
  std::vector<Device> devices;
  for (const char* name : {"core:0", "core:1"}) {
    Device device;
    device.name = name;
    device.type = "core";
    device.memory_bytes = 1'000'000;
    device.flops_per_second.of_others = 10;
    device.efficiency = efficiency;
    devices.push_back(device);
  }
  return Topology(devices, {{"core", "core", bytes_per_second, 0, {}}});
}

const std::vector<std::vector<std::size_t>> kPlacements = {
    {0, 0, 0, 0}, {0, 0, 1, 1}, {0, 1, 0, 1}, {1, 0, 0, 0}};

double predicted(const std::vector<std::size_t>& devices, const Topology& topology) {
  const Problem problem(work_chain(), topology);
  Simulator simulator(problem, Order::kFifo);
  return to_seconds(simulator.evaluate(on_devices(devices)).step_ps);
}

/// What `truth` says that the placements take.
std::vector<MeasuredStep> measured_on(
    const Topology& truth, const std::vector<std::vector<std::size_t>>& placements = kPlacements) {
  std::vector<MeasuredStep> steps;
  for (const auto& devices : placements) {
    steps.push_back({on_devices(devices), {}, predicted(devices, truth)});
  }
  return steps;
}

double factor_of(const CostFit& fit, const std::string& what) {
  for (const CostFactor& factor : fit.factors) {
    if (factor.what == what) return factor.factor;
  }
  FAIL("no factor of " << what);
  return 0;
}

TEST_CASE("A machine of half the efficiency and a quarter of the bandwidth is found") {
  // Alone: 100 flops at 10 a second take 10 s as assumed and 20 s in truth.
  const Problem assumed(work_chain(), two(1, 400));
  const CostFit fit = fit_costs(assumed, Order::kFifo, measured_on(two(0.5, 100)));
  CHECK(factor_of(fit, "efficiency of core") == Approx(0.5).epsilon(0.01));
  CHECK(factor_of(fit, "bandwidth of core -> core") == Approx(0.25).epsilon(0.03));
  CHECK(fit.topology.device(DeviceId(0)).efficiency == Approx(0.5).epsilon(0.01));
  CHECK(fit.topology.links()[0].bytes_per_second == Approx(100).epsilon(0.03));
  CHECK(fit.error_before > 0.6);
  CHECK(fit.error_after < 0.01);
}

TEST_CASE("An efficiency above one becomes one and a higher peak") {
  const Problem assumed(work_chain(), two(0.5, 1e9));
  const CostFit fit = fit_costs(assumed, Order::kFifo, [&] {
    std::vector<MeasuredStep> steps = measured_on(two(1, 1e9));
    for (MeasuredStep& step : steps) step.seconds /= 2;  // four times as fast as assumed
    return steps;
  }());
  const Device& device = fit.topology.device(DeviceId(0));
  CHECK(device.efficiency == 1);
  CHECK(*device.flops_per_second.of_others == Approx(20).epsilon(0.01));
}

TEST_CASE("What no step tells of keeps its number") {
  // Everything on one device says nothing of the link.
  const Problem assumed(work_chain(), two(1, 400));
  const std::vector<MeasuredStep> alone = {measured_on(two(0.5, 100)).front()};
  const CostFit fit = fit_costs(assumed, Order::kFifo, alone);
  CHECK(factor_of(fit, "bandwidth of core -> core") == 1);
  CHECK(std::ranges::count(fit.factors, "launch time of core", &CostFactor::what) == 0);
  CHECK(factor_of(fit, "efficiency of core") == Approx(0.5).epsilon(0.01));
}

/// Times longer or shorter by up to `share`.
std::vector<MeasuredStep> noisy(std::vector<MeasuredStep> steps, double share, Rng& rng) {
  for (MeasuredStep& step : steps) step.seconds *= 1 + share * (2 * rng.uniform() - 1);
  return steps;
}

TEST_CASE("Placements that are alike say little of those that are not, and noise says nothing") {
  // Each moves 100 bytes once, which takes 2.5 % of the step; {0, 1, 0, 1} moves three times as
  // much.
  const std::vector<std::vector<std::size_t>> alike = {{0, 0, 1, 1}, {1, 1, 0, 0}, {0, 1, 1, 1},
                                                       {1, 0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1, 0}};
  const Topology truth = two(1, 400);
  const double seconds = predicted({0, 1, 0, 1}, truth);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Rng rng(seed);
    const CostFit fit = fit_costs(Problem(work_chain(), truth), Order::kFifo,
                                  noisy(measured_on(truth, alike), 0.1, rng));
    CHECK(predicted({0, 1, 0, 1}, fit.topology) == Approx(seconds).epsilon(0.1));
  }
}

TEST_CASE("The error of steps left out is that of a fit to the others") {
  const Problem assumed(work_chain(), two(1, 400));
  std::vector<std::vector<std::size_t>> placements;
  for (std::size_t bits = 0; bits < 16; ++bits) {
    placements.push_back({bits / 8, bits / 4 % 2, bits / 2 % 2, bits % 2});
  }
  Rng rng(3);
  const auto steps = noisy(measured_on(two(0.5, 50), placements), 0.1, rng);
  const CostFit fit = fit_costs(assumed, Order::kFifo, steps);
  double squares = 0;
  for (std::size_t at = 0; at < steps.size(); ++at) {
    auto others = steps;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(at));
    const CostFit own = fit_costs(assumed, Order::kFifo, others);
    const double error = std::log(predicted(placements[at], own.topology) / steps[at].seconds);
    squares += error * error;
  }
  CHECK(fit.error_left_out == Approx(std::sqrt(squares / 16)).epsilon(0.1));
  CHECK(fit.error_left_out > fit.error_after);
}

TEST_CASE("Links of the same numbers have one factor, others their own") {
  const auto linked = [](double near, double far) {
    const Topology plain = two(1, 1);
    return Topology(plain.devices(), {{"core:0", "core:1", near, 0, {}},
                                      {"core:1", "core:0", near, 0, {}},
                                      {"core:0", "core:0", far, 0, {}}});
  };
  const CostFit fit = fit_costs(Problem(work_chain(), linked(400, 900)), Order::kFifo,
                                measured_on(linked(100, 900)));
  CHECK(factor_of(fit, "bandwidth of core:0 -> core:1 and 1 more") == Approx(0.25).epsilon(0.03));
  CHECK(fit.topology.links()[0].bytes_per_second == fit.topology.links()[1].bytes_per_second);
  CHECK(fit.topology.links()[2].bytes_per_second == 900);
}

/// Two devices of one type, the second at this efficiency.
Topology uneven(double efficiency) {
  std::vector<Device> devices = two(1, 400).devices();
  devices[1].efficiency = efficiency;
  return Topology(devices, two(1, 400).links());
}

TEST_CASE("Devices of one type that differ get factors of their own, others do not") {
  const std::vector<std::vector<std::size_t>> placements = {
      {0, 0, 0, 0}, {1, 1, 1, 1}, {0, 1, 0, 1}, {1, 0, 0, 1}, {0, 0, 1, 1}};
  const Problem assumed(work_chain(), two(1, 400));
  const CostFit fit = fit_costs(assumed, Order::kFifo, measured_on(uneven(0.4), placements));
  CHECK(fit.topology.device(DeviceId(0)).efficiency == Approx(1).epsilon(0.02));
  CHECK(fit.topology.device(DeviceId(1)).efficiency == Approx(0.4).epsilon(0.02));
  CHECK(factor_of(fit, "efficiency of core:1") < factor_of(fit, "efficiency of core:0"));

  const CostFit even = fit_costs(assumed, Order::kFifo, measured_on(two(0.4, 400), placements));
  CHECK(std::ranges::none_of(even.factors, [](const CostFactor& factor) {
    return factor.what == "efficiency of core:0";
  }));
}

TEST_CASE("Steps that are alike count as one") {
  // The work is all on the first device but for the last step, by which the devices differ.
  const std::vector<std::vector<std::size_t>> placements = {{0, 0, 0, 0}, {1, 1, 1, 1}};
  const Problem assumed(work_chain(), two(1, 400));
  const std::vector<MeasuredStep> steps = measured_on(uneven(0.5), placements);
  std::vector<MeasuredStep> repeated(20, steps.front());
  repeated.push_back(steps.back());
  const CostFit once = fit_costs(assumed, Order::kFifo, steps);
  const CostFit often = fit_costs(assumed, Order::kFifo, repeated);
  CHECK(often.error_before == Approx(once.error_before));
  CHECK(often.error_before == Approx(std::log(2.0) / std::sqrt(2.0)).epsilon(0.01));
}

TEST_CASE("Without a step nothing changes") {
  const Problem assumed(work_chain(), two(1, 400));
  const CostFit fit = fit_costs(assumed, Order::kFifo, {});
  CHECK(fit.error_before == 0);
  CHECK(fit.error_after == 0);
  for (const CostFactor& factor : fit.factors) CHECK(factor.factor == 1);
}

}  // namespace
}  // namespace placer
