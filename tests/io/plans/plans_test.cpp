#include <catch2/catch.hpp>

#include "io/plans/three_layers.hpp"
#include "placer/base/errors.hpp"
#include "support/mutants.hpp"
#include "support/problems.hpp"
#include "support/sanitizers.hpp"

namespace placer {
namespace {

using namespace plans;

TEST_CASE("ONNX Runtime's and OpenVINO's plans name a device for every node", "[plans]") {
  const Devices devices = {1, 1, 0, 1, 2, 1, 1, 2, 2};
  for (const char* target : {"ort", "openvino"}) {
    CHECK(read(target, plan_of(target, devices)) == devices);
  }
  CHECK(plan_of("ort", devices).find("\"/head/MatMul\": \"CUDAExecutionProvider:1\"") !=
        std::string::npos);
  CHECK(plan_of("openvino", devices).find("\"/model/layers.0/mlp/MatMul\": \"CPU\"") !=
        std::string::npos);
  CHECK(refusal("openvino", R"({"/tail/Add": "CPU"})").find("a node of the graph") !=
        std::string::npos);
}

TEST_CASE("A placement that cuts a layer or comes back is no plan", "[plans]") {
  const Topology devices = machine();
  const Problem problem(model(), devices);
  const auto message = [&](const char* target, const Devices& where) {
    try {
      write_plan(find_plan_target(target), problem, placed(problem, where));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(message("hf", {1, 1, 2, 1, 1, 1, 1, 1, 1}) ==
        "plan for hf: expected 'model.layers.0' on one device, found it on gpu:0 and gpu:1");
  CHECK(
      message("vllm", {1, 1, 1, 2, 2, 1, 1, 1, 1}).find("expected layers that follow each other") !=
      std::string::npos);
}

TEST_CASE("Rounding gives a layer the device of most of its time, and stages as many layers",
          "[plans]") {
  const Problem problem = problem_for("vllm");
  std::vector<DeviceId> wanted;
  for (const std::size_t device : {1, 1, 1, 2, 2, 1, 1, 1, 2}) wanted.emplace_back(device);
  const Placement rounded = rounded_placement(find_plan_target("vllm"), problem, wanted);
  // Layers on gpu:0, gpu:1 and gpu:0: two and one, gpu:0's mean place and gpu:1's being the same.
  const Devices found = devices_of(problem, rounded);
  CHECK(found == Devices{1, 1, 1, 1, 1, 2, 2, 2, 2});
  CHECK_NOTHROW(write_plan(find_plan_target("vllm"), problem, rounded));
}

TEST_CASE("A target that needs modules refuses a graph without them", "[plans]") {
  const Topology devices = machine();
  std::vector<Op> ops(9);
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    ops[i].name = "op" + std::to_string(i);
    ops[i].type = i % 2 == 0 ? "matmul" : "relu";
    ops[i].seconds = {{"gpu", 1}, {"cpu", 1}};
    if (i > 0) tensors.push_back(testing::tensor(i - 1, {i}, 8));
  }
  const Graph graph = testing::graph_of(ops, tensors);
  CHECK_THROWS_AS(graph_for(find_plan_target("hf"), graph, devices, true), Error);
  CHECK_NOTHROW(graph_for(find_plan_target("vllm"), graph, devices, true));  // repetitions
}

TEST_CASE("A target of layers refuses a model without any", "[plans]") {
  const Topology devices = machine();
  Op op = testing::timed_op("/stem/Mul", 1);
  op.seconds.emplace_back("cpu", 1);
  const Graph graph = testing::graph_of({op}, {});
  CHECK_THROWS_AS(graph_for(find_plan_target("vllm"), graph, devices, true), Error);
  CHECK_NOTHROW(graph_for(find_plan_target("hf"), graph, devices, true));
}

TEST_CASE("Drawings hold every op and edge, and escape names", "[plans]") {
  const std::string dot = plan_of("dot", {1, 1, 1, 1, 1, 2, 2, 2, 2});
  CHECK(dot.find("n8 [label=\"/head/MatMul\\ngpu:1\"") != std::string::npos);
  CHECK(dot.find("n7 -> n8;") != std::string::npos);
  Graph graph = model();
  std::vector<Op> ops = graph.ops();
  ops[0].name = "a<b>&\"c\"";
  const Problem problem(Graph("g", std::move(ops), graph.tensors()), machine());
  const std::string xml =
      write_plan(find_plan_target("graphml"), problem, placed(problem, Devices(9, 1)));
  CHECK(xml.find("a&lt;b&gt;&amp;&quot;c&quot;") != std::string::npos);
  std::vector<Device> odd = machine().devices();
  for (Device& device : odd) device.name += "\", URL=\"x";
  const Problem named(problem.graph(), Topology(odd, machine().links()));
  const std::string drawn =
      write_plan(find_plan_target("dot"), named, placed(named, Devices(9, 1)));
  CHECK(drawn.find("gpu:0\\\", URL=\\\"x\"") != std::string::npos);
}

TEST_CASE("Mutated plans are read or give one line, never anything else", "[plans]") {
  const int count = testing::kSanitized ? 200 : 2'000;
  for (const char* target : {"hf", "vllm", "llamacpp", "torch", "ort"}) {
    const std::string good = plan_of(target, {1, 1, 1, 1, 1, 2, 2, 2, 2});
    const int refused = testing::refused_mutants(
        good, count, "plan", [&](const std::string& text) { read(target, text); });
    CHECK(refused > count / 20);
  }
}

}  // namespace
}  // namespace placer
