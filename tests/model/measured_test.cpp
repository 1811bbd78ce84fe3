#include "placer/model/measured.hpp"

#include <catch2/catch.hpp>

#include "placer/model/costs.hpp"

namespace placer {
namespace {

Op op(const std::string& name, const std::string& type, double flops, double bytes) {
  Op made;
  made.name = name;
  made.type = type;
  made.flops = flops;
  made.bytes = bytes;
  return made;
}

/// Peaks of 100 flops and 10 bytes a second, 1 s to launch.
Device gpu() {
  Device device;
  device.name = "gpu:0";
  device.type = "gpu";
  device.flops_per_second.of_others = 100;
  device.bytes_per_second = 10;
  device.launch_seconds = 1;
  return device;
}

Graph three_ops() {
  return Graph("three", {op("a", "conv2d", 400, 10), op("b", "relu", 10, 20), op("c", "add", 1, 1)},
               {});
}

TEST_CASE("A profile's times replace an op's on that device, and add up for one device") {
  std::vector<Op> ops = three_ops().ops();
  ops[0].seconds = {{"gpu", 9}, {"cpu", 50}};
  Profile profile;
  profile.times["a"] = {{"", 2}, {"", 1}, {"tpu", 5}};
  profile.times["long"] = {{"", 7}};
  profile.times["short"] = {{"", 1}};
  const MeasuredGraph measured = with_profile(Graph("g", ops, {}), profile, "gpu");
  using Seconds = std::vector<std::pair<std::string, double>>;
  CHECK(measured.graph.ops()[0].seconds == Seconds{{"gpu", 3}, {"cpu", 50}, {"tpu", 5}});
  CHECK(measured.graph.ops()[1].seconds.empty());
  CHECK(measured.match.matched_ops == 1);
  CHECK(measured.match.ops == 3);
  CHECK(measured.match.matched_seconds == 8);
  CHECK(measured.match.seconds == 16);
  CHECK(measured.match.unmatched == std::vector<std::string>{"long", "short"});
}

TEST_CASE("The fit finds the efficiency of each class of ops that made the times") {
  Profile profile;
  profile.times["a"] = {{"", 1 + 4 / 0.5}};   // 4 s at the peak, half of it reached
  profile.times["b"] = {{"", 1 + 2 / 0.25}};  // 2 s of bytes
  const auto fits = fit_efficiency(with_profile(three_ops(), profile, "gpu").graph, gpu());
  REQUIRE(fits.size() == 3);
  CHECK(fits[0].op_class == "convolutions");
  CHECK(fits[0].ops == 1);
  CHECK(fits[0].seconds == 9);
  CHECK(fits[0].efficiency == Approx(0.5).epsilon(1e-6));
  CHECK(fits[0].residual < 1e-6);
  CHECK(fits[1].op_class == "elementwise ops");
  CHECK(fits[1].efficiency == Approx(0.25).epsilon(1e-6));
  CHECK(fits[2].op_class == "all ops");
  CHECK(fits[2].efficiency > 0.25);
  CHECK(fits[2].efficiency < 0.5);
  CHECK(fits[2].residual > 0.1);
}

TEST_CASE("Nothing measured gives no fit") { CHECK(fit_efficiency(three_ops(), gpu()).empty()); }

}  // namespace
}  // namespace placer
