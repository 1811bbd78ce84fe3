#include "placer/io/graph_file.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "placer/base/errors.hpp"
#include "placer/io/devices_file.hpp"
#include "support/problems.hpp"

namespace placer {
namespace {

constexpr const char* kThreeOps =
    R"({"format": "placer-graph", "version": 1, "ops": [{"name": "a"}, {"name": "b"}, {"name": "c"}], )";

Graph with_edges(const std::string& edges) {
  return parse_graph(kThreeOps + ("\"edges\": [" + edges + "]}"), "g.json").graph;
}

/// Every key that an op and a tensor may have, with numbers that are hard to print.
constexpr const char* kEveryKey = R"({
  "format": "placer-graph", "version": 1, "name": "every key",
  "ops": [
    {"name": "a/b \"c\" \\ é", "type": "conv", "seconds": {"gpu": 0.1, "gpu:0": 1e-300, "cpu": 7},
     "flops": 1.2345678901234567e19, "bytes": 3.3, "params_bytes": 9007199254740992,
     "temp_bytes": 5, "group": "g", "devices": ["gpu", "cpu:0"], "backward": true,
     "outputs": [{"shape": [32, 0, 7], "dtype": "f4"}, {"shape": []}]},
    {"name": "b", "group": "g", "flops": 0}
  ],
  "tensors": [
    {"name": "t", "producer": "a/b \"c\" \\ é", "consumers": ["b"], "bytes": 12, "keep": true,
     "transfer_seconds": 0.30000000000000004},
    {"producer": "b", "consumers": [], "bytes": 0}
  ],
  "devices": {
    "devices": [
      {"name": "gpu:0", "type": "gpu", "memory_bytes": 5, "slots": 3, "flops_per_second": 1e12,
       "bytes_per_second": 2.5e11, "launch_seconds": 5e-6, "efficiency": 0.7},
      {"name": "cpu:0", "type": "cpu", "memory_bytes": 1.2e10}
    ],
    "links": [
      {"from": "*", "to": "cpu", "bytes_per_second": 7.6e9, "latency_seconds": 2.5e-5,
       "channels": ["pcie", "nic 1"]}
    ],
    "contention": "half-duplex"
  }
})";

}  // namespace

TEST_CASE("Every key of a graph file reaches the graph") {
  const GraphFile file = parse_graph(kEveryKey, "every.json");
  const Op& op = file.graph.op(OpId(0));
  CHECK(file.graph.name() == "every key");
  CHECK(op.name == "a/b \"c\" \\ é");
  CHECK(op.type == "conv");
  CHECK(op.seconds ==
        std::vector<std::pair<std::string, double>>{{"gpu", 0.1}, {"gpu:0", 1e-300}, {"cpu", 7}});
  CHECK(op.flops == 1.2345678901234567e19);
  CHECK(op.bytes == 3.3);
  CHECK(op.params_bytes == 9007199254740992);
  CHECK(op.temp_bytes == 5);
  CHECK(op.group == "g");
  CHECK(op.devices == std::vector<std::string>{"gpu", "cpu:0"});
  CHECK(op.backward);
  CHECK(op.outputs.at(0).shape == std::vector<std::int64_t>{32, 0, 7});
  CHECK(op.outputs.at(0).dtype == "f4");
  CHECK(op.outputs.at(1).shape.empty());
  const Tensor& tensor = file.graph.tensor(TensorId(0));
  CHECK(tensor.name == "t");
  CHECK(tensor.producer == OpId(0));
  CHECK(tensor.consumers == std::vector{OpId(1)});
  CHECK(tensor.bytes == 12);
  CHECK(tensor.keep);
  CHECK(tensor.transfer_seconds == 0.30000000000000004);
  CHECK(file.yield == StepYield{});
  REQUIRE(file.devices.has_value());
  CHECK(file.devices->device(DeviceId(0)).slots == 3);
  CHECK(file.devices->device(DeviceId(0)).efficiency == 0.7);
  CHECK(file.devices->device(DeviceId(1)).memory_bytes == 12'000'000'000);
  CHECK(file.devices->links().at(0).channels == std::vector<std::string>{"pcie", "nic 1"});
  CHECK(file.devices->contention() == Contention::kHalfDuplex);
}

TEST_CASE("What a step is good for is read and written, and counts from 1") {
  const std::string ops = R"("ops": [{"name": "a", "seconds": {"gpu": 1}}]})";
  const std::string head = R"({"format": "placer-graph", "version": 1, )";
  const GraphFile file = parse_graph(head + R"("samples": 32, "tokens": 4096, )" + ops, "g.json");
  CHECK(file.yield == StepYield{32, 4096});
  const std::string written = write_graph(file.graph, nullptr, file.yield);
  CHECK(parse_graph(written, "g.json").yield == file.yield);
  CHECK_THROWS_WITH(parse_graph(head + R"("samples": 0, )" + ops, "g.json"),
                    Catch::StartsWith("g.json: samples: expected an integer from 1 to "));
  CHECK_THROWS_WITH(parse_graph(head + R"("tokens": 1.5, )" + ops, "g.json"),
                    Catch::StartsWith("g.json: tokens: expected an integer from 1 to "));
}

TEST_CASE("What is written reads back and writes the same bytes, with every key set") {
  const GraphFile file = parse_graph(kEveryKey, "every.json");
  const std::string written = write_graph(file.graph, &*file.devices);
  const GraphFile again = parse_graph(written, "again.json");
  CHECK(write_graph(again.graph, &*again.devices) == written);
  const Op& op = again.graph.op(OpId(0));
  CHECK(op.name == "a/b \"c\" \\ é");
  CHECK(op.seconds == file.graph.op(OpId(0)).seconds);
  CHECK(op.flops == 1.2345678901234567e19);
  CHECK(op.params_bytes == 9007199254740992);
  CHECK(op.outputs.size() == 2);
  CHECK(again.graph.tensor(TensorId(0)).transfer_seconds == 0.30000000000000004);
  CHECK(again.devices->device(DeviceId(0)).launch_seconds == 5e-6);
}

TEST_CASE("Random problems written and read back write the same bytes") {
  Rng rng(7);
  for (int i = 0; i < 100; ++i) {
    const Problem problem = testing::random_problem(rng);
    const std::string written = write_graph(problem.graph(), &problem.topology());
    const GraphFile again = parse_graph(written, "again.json");
    REQUIRE(again.devices.has_value());
    CHECK(write_graph(again.graph, &*again.devices) == written);
    CHECK(again.graph.edge_count() == problem.graph().edge_count());
    CHECK(again.devices->channel_count() == problem.topology().channel_count());
    CHECK(write_devices(parse_devices(write_devices(problem.topology()), "d")) ==
          write_devices(problem.topology()));
  }
}

TEST_CASE("A written graph has one op and one tensor on each line") {
  const std::string written = write_graph(testing::chain(2));
  CHECK(written ==
        "{\n"
        "  \"format\": \"placer-graph\",\n"
        "  \"version\": 1,\n"
        "  \"name\": \"test\",\n"
        "  \"ops\": [\n"
        "    {\"name\": \"op0\", \"seconds\": {\"gpu\": 1}},\n"
        "    {\"name\": \"op1\", \"seconds\": {\"gpu\": 1}}\n"
        "  ],\n"
        "  \"tensors\": [\n"
        "    {\"producer\": \"op0\", \"consumers\": [\"op1\"], \"bytes\": 1}\n"
        "  ]\n"
        "}\n");
}

TEST_CASE("An op's edges without a tensor name are one tensor with several consumers") {
  const Graph graph = with_edges(
      R"({"from": "a", "to": "c", "bytes": 8}, {"from": "b", "to": "c", "bytes": 5},
         {"from": "a", "to": "b", "bytes": 8})");
  REQUIRE(graph.tensors().size() == 2);  // in the order of first appearance
  CHECK(graph.tensor(TensorId(0)).producer == OpId(0));
  CHECK(graph.tensor(TensorId(0)).consumers == std::vector{OpId(1), OpId(2)});
  CHECK(graph.tensor(TensorId(0)).bytes == 8);
  CHECK(graph.tensor(TensorId(1)).producer == OpId(1));
}

TEST_CASE("Edges with a tensor name are one tensor for each producer and name") {
  const Graph graph = with_edges(
      R"({"from": "a", "to": "b", "bytes": 8, "tensor": "x"},
         {"from": "a", "to": "b", "bytes": 9, "tensor": "y"},
         {"from": "a", "to": "c", "bytes": 8, "tensor": "x"},
         {"from": "b", "to": "c", "bytes": 7, "tensor": "x"},
         {"from": "a", "to": "c", "bytes": 0})");
  REQUIRE(graph.tensors().size() == 4);
  CHECK(graph.tensor(TensorId(0)).consumers == std::vector{OpId(1), OpId(2)});
  CHECK(graph.tensor(TensorId(1)).bytes == 9);
  CHECK(graph.tensor(TensorId(2)).producer == OpId(1));
  CHECK(graph.tensor(TensorId(3)).name.empty());
  const std::string written = write_graph(graph);
  CHECK(write_graph(parse_graph(written, "again.json").graph) == written);
}

TEST_CASE("A graph without tensors needs neither list") {
  const Graph graph =
      parse_graph(R"({"format": "placer-graph", "version": 1, "ops": [{"name": "a"}]})", "g").graph;
  CHECK(graph.tensors().empty());
  CHECK(graph.name().empty());
}

TEST_CASE("An integer may be written as a number with an exponent") {
  const Graph graph = with_edges(R"({"from": "a", "to": "b", "bytes": 1.2e10})");
  CHECK(graph.tensor(TensorId(0)).bytes == 12'000'000'000);
}

TEST_CASE("A graph of a thousand levels of consumers reads with each op after its producer") {
  const GraphFile file = parse_graph(write_graph(testing::chain(1000)), "chain.json");
  CHECK(file.graph.program_order().back() == OpId(999));
  CHECK(file.graph.edge_count() == 999);
}

}  // namespace placer
