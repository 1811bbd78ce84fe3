#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "placer/io/devices_file.hpp"
#include "placer/io/files.hpp"
#include "placer/io/graph_file.hpp"
#include "placer/model/problem.hpp"
#include "placer/model/zoo.hpp"
#include "placer/sim/simulator.hpp"
#include "support/problems.hpp"

namespace placer {
namespace {

const std::string kGraphs = std::string(PLACER_SOURCE_DIR) + "/graphs/";

double step_seconds(const Problem& problem, const Placement& placement) {
  return to_seconds(Simulator(problem, Order::kFifo).evaluate(placement).step_ps);
}

double images_per_second_on_k80(const std::string& model) {
  const Topology devices = find_devices("2gpu");
  const Problem problem(generate_model(model, {{"batch", 32}}), devices);
  return 32 / step_seconds(problem, *problem.all_on(*devices.find("gpu:0")));
}

TEST_CASE("The tiny graph takes 39 ms on one GPU and 22.55 ms with a tower on each of two") {
  const Problem problem(read_graph(kGraphs + "tiny.json").graph, find_devices("2gpu"));
  const DeviceId first = *problem.topology().find("gpu:0");
  const DeviceId second = *problem.topology().find("gpu:1");
  Placement placement = *problem.all_on(first);
  CHECK(step_seconds(problem, placement) == Approx(0.039).epsilon(1e-12));
  // read 1, transfer 1.025, right tower 18, transfer 0.525, join 2.
  for (const std::size_t right : {2, 4}) placement.devices[right] = second;
  CHECK(step_seconds(problem, placement) == Approx(0.02255).epsilon(1e-12));
}

TEST_CASE("The shipped device specs load, run a model, and use the types cpu and gpu") {
  const std::vector<std::string> names = shipped_device_names();
  for (const char* name :
       {"2gpu", "4gpu", "8gpu", "a100-8", "cpu-only", "h100-8", "mixed-v100-t4"}) {
    CHECK(std::ranges::count(names, name) == 1);
  }
  for (const std::string& name : names) {
    CAPTURE(name);
    const Problem problem(generate_model("resnet50", {}), find_devices(name));
    for (const Device& device : problem.topology().devices()) {
      CHECK((device.type == "cpu" || device.type == "gpu"));
    }
    CHECK(step_seconds(problem, *problem.all_on(DeviceId(0))) > 0);
  }
}

TEST_CASE("In the example of two nodes, copies out of a node share a wire, those within do not") {
  const Topology devices =
      find_devices(std::string(PLACER_SOURCE_DIR) + "/configs/examples/two-nodes.json");
  REQUIRE(devices.devices().size() == 16);
  std::vector<Op> ops = testing::seconds_each({1, 1, 1, 1});
  for (Op& op : ops) op.seconds = {{"node:0", 1}, {"node:1", 1}};
  // 1 s each over the network, 1/12 s within a node.
  constexpr std::int64_t kBytes = 22'500'000'000;
  const Problem problem(
      testing::graph_of(ops, {testing::tensor(0, {2}, kBytes), testing::tensor(1, {3}, kBytes)}),
      devices);
  const auto step = [&](std::size_t a, std::size_t b, std::size_t c, std::size_t d) {
    return step_seconds(problem, Placement{{DeviceId(a), DeviceId(b), DeviceId(c), DeviceId(d)}});
  };
  CHECK(step(0, 1, 2, 3) == Approx(2 + 1 / 12.0).margin(1e-4));
  CHECK(step(0, 8, 9, 1) == Approx(3).margin(1e-4));  // one out of each node
  CHECK(step(0, 1, 8, 9) == Approx(4).margin(1e-4));  // both out of the first
}

TEST_CASE("One K80 die trains ResNet-50 and Inception-V3 about as fast as was published") {
  CHECK(images_per_second_on_k80("resnet50") == Approx(49.3).epsilon(0.1));
  CHECK(images_per_second_on_k80("inception_v3") == Approx(29.5).epsilon(0.2));
}

}  // namespace
}  // namespace placer
