#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "placer/base/errors.hpp"
#include "placer/io/graph_file.hpp"
#include "placer/io/import.hpp"
#include "placer/io/placement_file.hpp"
#include "placer/sim/simulator.hpp"
#include "support/problems.hpp"
#include "support/scheduling_data.hpp"
#include "support/shared_data.hpp"

namespace placer {
namespace {

constexpr Picoseconds kMicrosecond = 1'000'000;

Topology under(const Topology& topology, Contention contention) {
  return Topology(topology.devices(), topology.links(), contention);
}

Placement placement_of(const Problem& problem, const std::vector<DeviceId>& device_of) {
  Placement placement{std::vector<DeviceId>(problem.groups().size())};
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    placement[problem.groups().of(op)] = device_of[op.index()];
  }
  return placement;
}

/// The step time of the file's own schedule under the given order.
Score own_score(const Imported& imported, Contention contention) {
  const Problem problem(imported.graph, under(*imported.devices, contention));
  REQUIRE(deadlock_of(problem, *imported.sequences).empty());
  return Simulator(problem, Order::kGiven)
      .evaluate(placement_of(problem, imported.device_of), &*imported.sequences);
}

// op0 (3 or 5 ticks) sends 100 bytes, 2 ticks of 64 bytes, to op1 (4 or 1 ticks): latency 5.
const std::string kPlanted = R"({"format": "planted-1", "family": "chain", "seed": 1,
  "makespan_opt": 11, "devices": [{"name": "a", "mem_bytes": 900}, {"name": "b", "mem_bytes": 800}],
  "link": {"latency": 5, "bw_bytes_per_tick": 64, "topology": "full, uniform"},
  "cost": [[3, 5], [4, 1]], "mem_bytes": [10, 20], "edges": [[0, 1, 100]],
  "planted": {"device": [0, 1], "start": [0, 10]}, "certificate": {}})";

TEST_CASE("A planted instance of two ops takes 3 + 5 + 2 + 1 ticks of 1 us as planted",
          "[import]") {
  const Imported imported = import_text(kPlanted, "two.json");
  CHECK(imported.format == "planted");
  CHECK(imported.graph.name() == "two");
  CHECK(imported.graph.op(OpId(1)).seconds ==
        std::vector<std::pair<std::string, double>>{{"a", 4e-6}, {"b", 1e-6}});
  CHECK(imported.graph.op(OpId(1)).params_bytes == 20);
  CHECK(imported.graph.tensors().at(0).bytes == 128);
  CHECK(imported.devices->device(DeviceId(1)).memory_bytes == 800);
  CHECK(imported.device_of == std::vector{DeviceId(0), DeviceId(1)});
  CHECK(own_score(imported, Contention::kLink) == Score{0, 11 * kMicrosecond});
}

TEST_CASE("Every planted schedule reaches its optimum exactly, packed ones under ports too",
          "[import]") {
  const std::vector<std::string> files = testing::shared_files("scheduling/planted", ".json");
  if (files.empty()) return;
  CHECK(files.size() == 26);
  for (const std::string& file : files) {
    INFO(file);
    const Imported imported = import_file(file);
    const Picoseconds optimum = to_picoseconds(*imported.step_seconds);
    CHECK(own_score(imported, Contention::kLink) == Score{0, optimum});
    if (file.find("/packed") != std::string::npos) {
      CHECK(own_score(imported, Contention::kPorts).step_ps == optimum);
    }
  }
}

const std::string kStandard = "2\n0 0 0\n1 7 1 0\n2 5 1 0\n3 0 2 1 2\n# a comment\n";
const std::string kPrototype = "2 3\n1 7 0\n2 5 1 1\n3 0 1 2\n";

TEST_CASE("A standard task graph has its dummy tasks, and a unit of time is a second", "[import]") {
  const Imported imported = import_text(kStandard, "a/rand.stg", {.processors = 2});
  CHECK(imported.format == "stg");
  CHECK(imported.graph.name() == "rand");
  REQUIRE(imported.graph.ops().size() == 4);
  CHECK(imported.graph.edge_count() == 4);
  CHECK(imported.graph.op(OpId(1)).seconds.at(0).second == 7);
  const Problem problem(imported.graph, *imported.devices);
  const Placement apart{{DeviceId(0), DeviceId(0), DeviceId(1), DeviceId(0)}};
  CHECK(Simulator(problem, Order::kFifo).evaluate(apart).step_ps == to_picoseconds(7));
}

TEST_CASE("Without a number of processors a standard task graph has no devices", "[import]") {
  CHECK_FALSE(import_text(kStandard, "s.stg").devices.has_value());
}

TEST_CASE("A prototype task graph brings its processors, which a flag overrides", "[import]") {
  const Imported imported = import_text(kPrototype, "p.stg");
  CHECK(imported.devices->devices().size() == 3);
  REQUIRE(imported.graph.ops().size() == 3);
  CHECK(imported.graph.op(OpId(0)).name == "t1");
  CHECK(imported.graph.tensors().size() == 2);
  CHECK(import_text(kPrototype, "p.stg", {.processors = 5}).devices->devices().size() == 5);
}

TEST_CASE("Every instance of the Standard Task Graph Set has 52 tasks and its stated edges",
          "[import]") {
  const std::vector<std::string> files = testing::shared_files("scheduling/stg", ".stg");
  for (const std::string& file : files) {
    INFO(file);
    const Imported imported = import_file(file, {.processors = 4});
    CHECK(imported.graph.ops().size() == 52);
    CHECK(imported.graph.edge_count() > 51);
    // Some processors do all tasks in sequence.
    const Problem problem(imported.graph, *imported.devices);
    CHECK(problem.all_on(DeviceId(0)).has_value());
  }
}

/// The published example as a file of its format.
std::string published_file() {
  const testing::PublishedExample example = testing::published_example();
  nlohmann::json file;
  for (const Op& op : example.problem.graph().ops()) {
    file["tasks"].push_back(op.name);
    std::vector<double> seconds;
    for (const auto& [device, time] : op.seconds) seconds.push_back(time);
    file["computation_cost"].push_back(seconds);
  }
  for (const Device& device : example.problem.topology().devices()) {
    file["processors"].push_back(device.name);
  }
  for (const Tensor& tensor : example.problem.graph().tensors()) {
    file["edges"].push_back({file["tasks"][tensor.producer.index()],
                             file["tasks"][tensor.consumers.front().index()], tensor.bytes});
  }
  for (const OpRun& run : example.heft_runs) {
    const std::string task = file["tasks"][run.op.index()];
    file["expected"]["heft_schedule"][task] = {file["processors"][run.device.index()],
                                               to_seconds(run.start_ps), to_seconds(run.end_ps)};
  }
  file["expected"]["heft_makespan"] = example.heft_seconds;
  return file.dump();
}

void check_is_published_example(const Imported& imported) {
  CHECK(imported.format == "topcuoglu");
  CHECK(imported.graph.ops().size() == 10);
  CHECK(imported.graph.edge_count() == 15);
  CHECK(imported.step_seconds == 80);
  CHECK(own_score(imported, Contention::kNone) == Score{0, to_picoseconds(80)});
}

TEST_CASE("The published ten-task example imports with its schedule of 80", "[import]") {
  check_is_published_example(import_text(published_file(), "fig2.json"));
}

TEST_CASE("The shared file of the published example imports alike", "[import]") {
  for (const std::string& file : testing::shared_files("scheduling", "fig2.json")) {
    check_is_published_example(import_file(file));
  }
}

}  // namespace
}  // namespace placer
