#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "placer/io/files.hpp"
#include "placer/io/import.hpp"
#include "placer/model/problem.hpp"
#include "placer/sim/simulator.hpp"
#include "support/events.hpp"
#include "support/sanitizers.hpp"
#include "support/searches.hpp"
#include "support/shared_data.hpp"

namespace placer {
namespace {

using nlohmann::json;

const std::string kTarnawski = R"({"maxSizePerFPGA": 1000.0, "maxFPGAs": 2, "maxCPUs": 3,
  "nodes": [{"name": "x", "id": 7, "supportedOnFpga": 1, "cpuLatency": 20, "fpgaLatency": 2,
             "isBackwardNode": 0, "colorClass": 4, "layerId": 1, "size": 100.0},
            {"name": "y", "id": 3, "supportedOnFpga": false, "cpuLatency": 5, "fpgaLatency": 0,
             "isBackwardNode": true, "size": 0}],
  "edges": [{"sourceId": 7, "destId": 3, "cost": 0.5, "size": 12.0}]})";

TEST_CASE("A placement input brings accelerators, one CPU with its cores as slots, fixed transfers",
          "[import]") {
  const Imported imported = import_text(kTarnawski, "in.json");
  CHECK(imported.format == "tarnawski");
  const Op& x = imported.graph.op(OpId(0));
  CHECK(x.seconds == std::vector<std::pair<std::string, double>>{{"cpu", 0.02}, {"fpga", 0.002}});
  CHECK(x.params_bytes == 100);
  CHECK(x.group == "color 4");
  const Op& y = imported.graph.op(OpId(1));
  CHECK(y.devices == std::vector<std::string>{"cpu"});
  CHECK(y.backward);
  CHECK(y.group.empty());
  REQUIRE(imported.devices->devices().size() == 3);
  CHECK(imported.devices->device(DeviceId(1)).memory_bytes == 1000);
  CHECK(imported.devices->device(DeviceId(2)).slots == 3);
  // x on an accelerator 2 ms, the transfer 0.5 ms, y on the CPU 5 ms.
  const Problem problem(imported.graph, *imported.devices);
  const Placement placement{{DeviceId(0), DeviceId(2)}};
  CHECK(Simulator(problem, Order::kFifo).evaluate(placement) == Score{0, to_picoseconds(7.5e-3)});
}

/// An expert's split: the accelerator of each group, the CPU last.
Placement expert_split(const std::string& input, const std::string& expert,
                       const Problem& problem) {
  std::map<std::int64_t, OpId> op_of;
  const json nodes = json::parse(read_text(input))["nodes"];
  for (std::size_t i = 0; i < nodes.size(); ++i)
    op_of.emplace(nodes[i]["id"].get<std::int64_t>(), OpId(i));
  Placement placement{
      std::vector<DeviceId>(problem.groups().size(), DeviceId(problem.device_count() - 1))};
  std::size_t accelerator = 0;
  const json split = json::parse(read_text(expert));
  for (const json& part : split["fpgas"]) {
    for (const std::int64_t id : part["nodes"]) {
      placement[problem.groups().of(op_of.at(id))] = DeviceId(accelerator);
    }
    ++accelerator;
  }
  return placement;
}

Problem pipeline_of(const std::string& file, Contiguity contiguity) {
  const Imported imported = import_file(file);
  return Problem(imported.graph, *imported.devices)
      .with_goal({.objective = Objective::kThroughput, .contiguity = contiguity});
}

TEST_CASE("Experts' splits of imported graphs have the published max-loads", "[import]") {
  const std::map<std::string, double> published = {{"bert24_inference", 20.084},
                                                   {"bert24_training", 49.405},
                                                   {"gnmt_training", 137.154},
                                                   {"resnet50_inference", 43.918}};
  for (const std::string& expert : testing::shared_files("tarnawski/experts", "_expert.json")) {
    const std::string file = std::filesystem::path(expert).filename().string();
    const std::string name = file.substr(0, file.size() - std::string("_expert.json").size());
    INFO(name);
    const std::string input =
        testing::shared_files("tarnawski/throughput", "layer_" + name + ".json").at(0);
    const Problem problem = pipeline_of(input, Contiguity::kContiguous);
    const Score score =
        Simulator(problem, Order::kFifo).evaluate(expert_split(input, expert, problem));
    CHECK(score.fits());
    CHECK(to_seconds(score.step_ps) * 1e3 == Approx(published.at(name)).margin(0.0006));
  }
}

TEST_CASE("Dynamic programming reaches the published contiguous max-loads and proves them",
          "[import]") {
  const std::map<std::string, double> published = {
      {"layer_bert24_inference", 17.790},      {"layer_bert24_training", 41.746},
      {"layer_gnmt_training", 107.00},         {"layer_resnet50_inference", 33.775},
      {"operator_bert_l-3_inference", 27.919}, {"operator_bert_l-6_inference", 29.580},
      {"operator_resnet50_inference", 124.349}};
  for (const std::string& file : testing::shared_files("tarnawski/throughput", ".json")) {
    const std::string name = std::filesystem::path(file).stem().string();
    if (testing::kSanitized && name == "layer_gnmt_training") continue;  // takes a minute there
    INFO(name);
    const Problem problem = pipeline_of(file, Contiguity::kStages);
    const SearchResult found = run_search(problem, testing::request_for("dp", 1'000'000));
    CHECK(to_seconds(found.score.step_ps) * 1e3 == Approx(published.at(name)).epsilon(5e-5));
    CHECK(found.proven);
  }
}

TEST_CASE("All placement inputs import as problems with every node and edge", "[import]") {
  for (const std::string folder : {"tarnawski/latency", "tarnawski/throughput"}) {
    for (const std::string& file : testing::shared_files(folder, ".json")) {
      INFO(file);
      const Imported imported = import_file(file);
      const json source = json::parse(read_text(file));
      CHECK(imported.graph.ops().size() == source["nodes"].size());
      CHECK(imported.graph.edge_count() == source["edges"].size());
      const Problem problem(imported.graph, *imported.devices);
      CHECK(problem.device_count() == source["maxFPGAs"].get<std::size_t>() + 1);
    }
  }
}

// in -> fc (1 ms, 2 ms back) -> loss (3 ms, nothing measured back)
const std::string kProfile =
    "node1 -- Input0 -- forward_compute_time=0.000, backward_compute_time=0.000, "
    "activation_size=0.0, parameter_size=0.000\n"
    "node2 -- Linear(in=4, out=2) -- forward_compute_time=1.000, backward_compute_time=2.000, "
    "activation_size=[8.0; 4.0], parameter_size=40.000\n"
    "node3 -- Loss() -- forward_compute_time=3.000, backward_compute_time=0.000, "
    "activation_size=4.0, parameter_size=0.000 -- stage_id=1\n"
    "\tnode1 -- node2\n"
    "\tnode2 -- node3";

TEST_CASE("Reading a profile tells its format, its size and its notes", "[import]") {
  testing::Events events;
  import_text(kProfile, "graph.txt", {.observer = events.from(EventLevel::kInfo)});
  CHECK(events.messages(EventLevel::kInfo, "import") ==
        std::vector<std::string>{"graph.txt: format pipedream, 5 ops, 4 tensors",
                                 "graph.txt: note: modules whose stage number is left out: 1"});
}

TEST_CASE("A profile becomes a training graph: gradients flow back, outputs wait for them",
          "[import]") {
  const Imported imported = import_text(kProfile, "profile/graph.txt");
  CHECK(imported.format == "pipedream");
  CHECK(imported.notes == std::vector<std::string>{"modules whose stage number is left out: 1"});
  const Graph& graph = imported.graph;
  REQUIRE(graph.ops().size() == 5);
  CHECK(graph.op(OpId(1)).type == "Linear");
  CHECK(graph.op(OpId(1)).params_bytes == 40);
  CHECK(graph.op(OpId(3)).name == "node2_backward");
  CHECK(graph.op(OpId(3)).backward);
  CHECK(graph.op(OpId(3)).group == "node2");
  CHECK(graph.op(OpId(3)).seconds.at(0) == std::pair<std::string, double>("gpu", 0.002));
  REQUIRE(graph.tensors().size() == 4);
  CHECK(graph.tensors()[1].consumers == std::vector{OpId(2), OpId(3)});
  CHECK(graph.tensors()[1].bytes == 12);
  CHECK(graph.tensors()[3].producer == OpId(4));
  CHECK(graph.tensors()[3].consumers == std::vector{OpId(3)});
  CHECK(graph.tensors()[3].bytes == 12);
}

TEST_CASE("A profile imported for inference has its forward ops alone", "[import]") {
  const Imported imported = import_text(kProfile, "graph.txt", {.inference = true});
  CHECK(imported.graph.ops().size() == 3);
  CHECK(imported.graph.edge_count() == 2);
}

TEST_CASE("Every measured millisecond of a profile is in the graph", "[import]") {
  for (const std::string& file : testing::shared_files("pipedream", ".txt")) {
    INFO(file);
    const std::string text = read_text(file);
    double listed_ms = 0;
    for (const std::string key : {"forward_compute_time=", "backward_compute_time="}) {
      for (std::size_t at = 0; (at = text.find(key, at)) != std::string::npos;) {
        at += key.size();
        listed_ms += std::stod(text.substr(at, 20));
      }
    }
    double imported_ms = 0;
    const Imported imported = import_file(file);
    for (const Op& op : imported.graph.ops()) imported_ms += op.seconds.at(0).second * 1e3;
    CHECK(imported_ms == Approx(listed_ms));
  }
}

}  // namespace
}  // namespace placer
