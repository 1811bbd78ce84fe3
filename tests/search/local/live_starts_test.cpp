#include "search/local/live_starts.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "placer/io/devices_file.hpp"
#include "placer/model/zoo.hpp"
#include "placer/sim/simulator.hpp"
#include "search/local/starts.hpp"
#include "support/problems.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

/// A layered graph on `machine`, whose GPUs together have `room` times what one device would hold
/// of it at its peak.
Problem tight_layers(const std::string& machine, double room) {
  const Graph graph = generate_model("layered");
  const Topology ample = find_devices(machine);
  const Problem problem(graph, ample);
  Schedule schedule;
  Simulator(problem, Order::kFifo)
      .evaluate(*problem.all_on(DeviceId(ample.devices().size() - 1)), nullptr, &schedule);
  std::vector<Device> devices = ample.devices();
  const auto gpus = static_cast<double>(std::ranges::count(
      devices, false, [](const Device& device) { return device.type == "cpu"; }));
  for (Device& device : devices) {
    if (device.type == "cpu") continue;
    device.memory_bytes =
        static_cast<std::int64_t>(room / gpus * static_cast<double>(schedule.peak_bytes.back()));
  }
  return Problem(graph, Topology(devices, ample.links(), ample.contention()));
}

TEST_CASE("Lists that know what is held when take half the time of those that count all outputs") {
  const Problem problem = tight_layers("4gpu", 1);
  const SearchResult lists = run_search(problem, request_for("list-portfolio", 1'000));
  const SearchResult live = search_with(
      problem, [](Search& search) { try_live_lists(search, 0.5); }, 1'000);
  REQUIRE(live.score.fits());
  CHECK(to_seconds(live.score.step_ps) < 0.5 * to_seconds(lists.score.step_ps));
}

TEST_CASE("Groups that are dealt out fit where no device holds all and outputs do not add up") {
  const Problem problem = tight_layers("4xV100-16", 1.4);
  CHECK_FALSE(run_search(problem, request_for("heft", 1)).score.fits());
  CHECK_FALSE(run_search(problem, request_for("single-device", 10)).score.fits());
  const SearchResult dealt = search_with(
      problem, [](Search& search) { try_dealt_groups(search); }, 10);
  CHECK(dealt.score.fits());
  CHECK(dealt.evaluations == 4);
}

}  // namespace
}  // namespace placer::testing
