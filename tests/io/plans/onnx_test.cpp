#include <catch2/catch.hpp>

#include "placer/base/errors.hpp"
#include "placer/io/plan.hpp"
#include "support/onnx_builder.hpp"
#include "support/shared_data.hpp"

namespace placer {
namespace {

using testing::OnnxBuilder;

Topology two_gpus() {
  std::vector<Device> devices(2);
  for (std::size_t i = 0; i < 2; ++i) {
    devices[i].name = "gpu:" + std::to_string(i);
    devices[i].type = "gpu";
    devices[i].memory_bytes = 1 << 30;
    devices[i].flops_per_second.of_others = 1e9;
    devices[i].bytes_per_second = 1e9;
  }
  return Topology(std::move(devices), {{"*", "*", 1e9, 0, {}}});
}

/// A table of 1.2 MB that is read at both ends.
OnnxBuilder tied() {
  OnnxBuilder model;
  model.input("ids", {5}, OnnxBuilder::kInt64).weights("table", {1000, 300});
  model.node("Gather", {"table", "ids"}, {"rows"}).node("Relu", {"rows"}, {"a"});
  model.node("Transpose", {"table"}, {"turned"}).node("MatMul", {"a", "turned"}, {"logits"});
  return model.output("logits");
}

std::vector<PlanFile> files(const OnnxBuilder& model, const std::vector<std::size_t>& device_of) {
  const std::string text = model.bytes(), file = "m.onnx";
  const PlanTarget& target = find_plan_target("onnx");
  const Topology devices = two_gpus();
  Graph graph = graph_for(target, import_text(text, file).graph, devices, true);
  const Problem problem(std::move(graph), devices);
  Placement placement{std::vector<DeviceId>(problem.groups().size())};
  for (std::size_t op = 0; op < device_of.size(); ++op) {
    placement[problem.groups().of(OpId(op))] = DeviceId(device_of[op]);
  }
  return write_plan_files(target, problem, placement, {text, file, {}, ""});
}

TEST_CASE("Tied weights may be in two stages, each with a copy", "[onnx][plans]") {
  if (testing::skip_unreadable(".onnx")) return;
  const std::vector<PlanFile> plan = files(tied(), {0, 0, 0, 1});
  REQUIRE(plan.size() == 4);
  CHECK(plan[0].name == "stage0.onnx");
  CHECK(plan[1].name == "stage1.onnx");
  CHECK(plan[2].name == "annotated.onnx");
  for (const std::size_t stage : {0, 1}) {
    CHECK(plan[stage].bytes.find("table") != std::string::npos);
  }
  CHECK(plan[3].name == "pipeline.json");
  CHECK(plan[3].bytes == R"({
  "annotated": "annotated.onnx",
  "inputs": ["ids"],
  "outputs": [{"name": "logits", "from": 1}],
  "stages": [
    {
      "file": "stage0.onnx",
      "device": "gpu:0",
      "inputs": [{"name": "ids", "from": "model"}],
      "outputs": ["a"]
    },
    {
      "file": "stage1.onnx",
      "device": "gpu:1",
      "inputs": [{"name": "a", "from": 0}],
      "outputs": ["logits"]
    }
  ]
}
)");
}

TEST_CASE("Ops that the user ties together stay so in plans for onnx", "[onnx][plans]") {
  if (testing::skip_unreadable(".onnx")) return;
  const Graph graph = import_text(tied().bytes(), "m.onnx").graph;
  std::vector<Op> ops = graph.ops();
  CHECK(ops[1].group == "rows");
  CHECK(ops[3].group == "rows");
  join_groups(ops, {"", "", "mine", "mine"});
  const Graph made = graph_for(find_plan_target("onnx"),
                               Graph("g", std::move(ops), graph.tensors()), two_gpus(), true);
  CHECK_FALSE(made.op(OpId(2)).group.empty());
  CHECK(made.op(OpId(2)).group == made.op(OpId(3)).group);
}

TEST_CASE("Nodes of one name on two devices are refused", "[onnx][plans]") {
  if (testing::skip_unreadable(".onnx")) return;
  OnnxBuilder model;
  model.input("x", {2}).function(
      "Twice", {"a"}, {"c"},
      {OnnxBuilder::node_of("Neg", {"a"}, {"b"}), OnnxBuilder::node_of("Neg", {"b"}, {"c"})});
  model.import_opset("local", 1).node("local:Twice", {"x"}, {"y"}).output("y");
  CHECK_NOTHROW(files(model, {0, 1, 1}));
  CHECK_THROWS_WITH(files(model, {0, 0, 1}),
                    "m.onnx: node 'y/Neg': expected one node of that name, or all on gpu:0, found "
                    "one on gpu:1");
}

TEST_CASE("The files of stages are those that a chain of ours names, whatever else is in it",
          "[plans]") {
  CHECK(stage_files(R"({"stages": [{"file": "stage0.onnx"}, {"file": "stage1.onnx"}]})") ==
        std::vector<std::string>{"stage0.onnx", "stage1.onnx"});
  CHECK(stage_files(R"({"stages": [{"file": "../stage0.onnx"}, {"file": "m.onnx"}]})").empty());
  CHECK(stage_files("no chain").empty());
  CHECK(stage_files(R"({"stages": [{"name": "stage0.onnx"}]})").empty());
}

}  // namespace
}  // namespace placer
