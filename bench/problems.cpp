#include "problems.hpp"

#include <fmt/core.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "families.hpp"
#include "placer/base/rng.hpp"
#include "placer/io/devices_file.hpp"
#include "placer/io/graph_file.hpp"
#include "search/lists/rules.hpp"

namespace placer::bench {
namespace {

Topology identical_gpus(const Scenario& scenario) {
  std::vector<Device> devices;
  for (std::size_t i = 0; i < scenario.devices; ++i) {
    Device device;
    device.name = fmt::format("gpu:{}", i);
    device.type = "gpu";
    device.memory_bytes = scenario.tight ? 1'000'000 : std::int64_t{1} << 50;
    device.slots = scenario.slots;
    devices.push_back(std::move(device));
  }
  Link link;
  link.from = link.to = "gpu";
  link.bytes_per_second = 7.6e9;
  link.latency_seconds = 25e-6;
  return Topology(std::move(devices), {link}, scenario.contention);
}

Problem make_problem(const Scenario& scenario) {
  if (scenario.family == "inception_v3") {
    GraphFile file = read_graph(PLACER_SOURCE_DIR "/graphs/inception_v3.json");
    return Problem(std::move(file.graph), find_devices("4gpu"));
  }
  return Problem(find_family(scenario.family).graph(scenario.ops), identical_gpus(scenario));
}

Placement good_placement(const Problem& problem) {
  return heft_schedule(problem, {.insertion = false, .memory = false}).placement();
}

PlacedProblem make(const Scenario& scenario) {
  Problem problem = make_problem(scenario);
  Placement placement = scenario.good ? good_placement(problem) : random_placement(problem, 1);
  return {std::move(problem), std::move(placement)};
}

}  // namespace

std::string Scenario::name() const {
  const std::string graph = ops == 0 ? family : fmt::format("{}/{}", family, ops);
  return fmt::format("{}/{}/{}", graph, devices, good ? "good" : "random");
}

const PlacedProblem& placed_problem(const Scenario& scenario) {
  static std::optional<std::pair<Scenario, PlacedProblem>> last;
  if (!last || last->first != scenario) last.emplace(scenario, make(scenario));
  return last->second;
}

Placement random_placement(const Problem& problem, std::uint64_t seed) {
  Rng rng(seed);
  Placement placement;
  for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
    placement.devices.push_back(rng.pick(problem.groups().allowed(group)));
  }
  return placement;
}

Move random_move(const Problem& problem, const Placement& from, Rng& rng) {
  const GroupId group(rng.below(problem.groups().size()));
  const auto allowed = problem.groups().allowed(group);
  const DeviceId drawn = allowed[rng.below(allowed.size() - 1)];
  return {group, drawn == from[group] ? allowed.back() : drawn};
}

}  // namespace placer::bench
