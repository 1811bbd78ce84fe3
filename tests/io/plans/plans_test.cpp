#include <catch2/catch.hpp>

#include "placer/base/errors.hpp"
#include "placer/io/plan.hpp"
#include "support/mutants.hpp"
#include "support/problems.hpp"
#include "support/sanitizers.hpp"

namespace placer {
namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

/// embed, three layers of two ops, norm, head; 1 second and 1 GiB of parameters each.
Graph model() {
  std::vector<Op> ops;
  std::vector<Tensor> tensors;
  for (const char* name :
       {"/model/embed/Gather", "/model/layers.0/attn/MatMul", "/model/layers.0/mlp/MatMul",
        "/model/layers.1/attn/MatMul", "/model/layers.1/mlp/MatMul", "/model/layers.2/attn/MatMul",
        "/model/layers.2/mlp/MatMul", "/model/norm/Mul", "/head/MatMul"}) {
    if (!ops.empty()) tensors.push_back(testing::tensor(ops.size() - 1, {ops.size()}, 8));
    Op& op = ops.emplace_back();
    op.name = name;
    op.type = "matmul";
    op.seconds = {{"gpu", 1}, {"cpu", 10}};
    op.params_bytes = kGiB;
    op.params = {module_path(op) + ".weight"};
  }
  return testing::graph_of(std::move(ops), std::move(tensors));
}

/// cpu:0 of 100 GiB and two GPUs of 8 GiB, over links of 1 GiB/s.
Topology machine() {
  std::vector<Device> devices(3);
  const char* names[] = {"cpu:0", "gpu:0", "gpu:1"};
  for (std::size_t i = 0; i < 3; ++i) {
    devices[i].name = names[i];
    devices[i].type = i == 0 ? "cpu" : "gpu";
    devices[i].memory_bytes = (i == 0 ? 100 : 8) * kGiB;
  }
  return Topology(std::move(devices), {{"*", "*", static_cast<double>(kGiB), 0, {}}});
}

Problem problem_for(const std::string& name, bool ties = true) {
  const PlanTarget& target = find_plan_target(name);
  const Topology devices = machine();
  return Problem(graph_for(target, model(), devices, ties), devices)
      .with_goal(goal_for(target, {}, devices));
}

/// The ops' devices by their numbers.
Placement placed(const Problem& problem, const std::vector<std::size_t>& devices) {
  Placement placement{std::vector<DeviceId>(problem.groups().size())};
  for (std::size_t op = 0; op < devices.size(); ++op) {
    placement[problem.groups().of(OpId(op))] = DeviceId(devices[op]);
  }
  return placement;
}

std::vector<std::size_t> devices_of(const Problem& problem, const Placement& placement) {
  std::vector<std::size_t> devices;
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    devices.push_back(placement[problem.groups().of(op)].index());
  }
  return devices;
}

using Devices = std::vector<std::size_t>;

std::string plan_of(const std::string& target, const Devices& devices) {
  const Problem problem = problem_for(target);
  return write_plan(find_plan_target(target), problem, placed(problem, devices));
}

Devices read(const std::string& target, const std::string& text) {
  const Problem problem = problem_for(target, false);
  return devices_of(problem, read_plan(find_plan_target(target), text, "plan", problem));
}

std::string refusal(const std::string& target, const std::string& text) {
  try {
    read(target, text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("A device map names each layer and each module around them", "[plans]") {
  CHECK(plan_of("hf", {1, 1, 1, 0, 0, 2, 2, 2, 2}) ==
        "{\n  \"model.embed\": 0,\n  \"model.layers.0\": 0,\n  \"model.layers.1\": \"cpu\",\n"
        "  \"model.layers.2\": 1,\n  \"model.norm\": 1,\n  \"head\": 1\n}\n");
}

TEST_CASE("The longest name of a device map decides, and parts of layers may have their own",
          "[plans]") {
  CHECK(read("hf",
             R"({"": 0, "model.layers.1": 1, "model.layers.1.mlp": "cpu", "head": "cuda:1"})") ==
        Devices{1, 1, 1, 2, 0, 1, 1, 1, 2});
}

TEST_CASE("A parameter outside of all modules that is a group of its own has a key of its own",
          "[plans]") {
  Graph graph = model();
  std::vector<Op> ops = graph.ops();
  ops[0].name = ops[0].group = "positions";
  const PlanTarget& target = find_plan_target("hf");
  const Topology devices = machine();
  const Problem problem(
      graph_for(target, Graph("g", std::move(ops), graph.tensors()), devices, true), devices);
  CHECK(write_plan(target, problem, placed(problem, Devices(9, 1))).find("\"positions\": 0") !=
        std::string::npos);
}

TEST_CASE("A device map may name single parameters", "[plans]") {
  CHECK(read("hf", R"({"model": 0, "head.weight": 1})") == Devices{1, 1, 1, 1, 1, 1, 1, 1, 2});
}

TEST_CASE("What a device map misses, invents or has no device for is named", "[plans]") {
  CHECK(refusal("hf", R"({"model": 0})") ==
        "plan: device_map: expected a device for every parameter, found none for 'head.weight'");
  CHECK(refusal("hf", R"({"": 0, "model.layers.7": 1})") ==
        "plan: 'model.layers.7': expected a module or parameter of test, found none of that "
        "name");
  CHECK(refusal("hf", R"({"": 2})").find("a device of the spec: 0 to 1, or a name, found 2") !=
        std::string::npos);
  CHECK(refusal("hf", "{}") == "plan: device_map: expected at least one module, found none");
}

TEST_CASE("Under hf an op on the CPU takes the first GPU's time and the copy of its parameters",
          "[plans]") {
  const Problem problem = problem_for("hf");
  CHECK(problem.costs().op_ps(OpId(1), DeviceId(0)) ==
        2'000'000'000'000);  // 1 s and 1 GiB at 1 GiB/s
  CHECK(problem.costs().op_ps(OpId(1), DeviceId(1)) == 1'000'000'000'000);
}

TEST_CASE("vLLM's partition counts layers, ends go with the first and the last", "[plans]") {
  CHECK(plan_of("vllm", {2, 2, 2, 1, 1, 1, 1, 1, 1}) ==
        "# vllm serve MODEL --pipeline-parallel-size 2\nCUDA_VISIBLE_DEVICES=1,0\n"
        "VLLM_PP_LAYER_PARTITION=1,2\n");
  CHECK(read("vllm", "export VLLM_PP_LAYER_PARTITION=\"1,2\"\nCUDA_VISIBLE_DEVICES=1,0\n") ==
        Devices{2, 2, 2, 1, 1, 1, 1, 1, 1});
  CHECK(read("vllm", "VLLM_PP_LAYER_PARTITION=2,1") == Devices{1, 1, 1, 1, 1, 2, 2, 2, 2});
}

TEST_CASE("A partition with too few layers, too many stages or none is refused", "[plans]") {
  CHECK(refusal("vllm", "VLLM_PP_LAYER_PARTITION=1,1") ==
        "plan: VLLM_PP_LAYER_PARTITION: expected 3 layers in all, as the model has, found 2");
  CHECK(refusal("vllm", "VLLM_PP_LAYER_PARTITION=1,1,1") ==
        "plan: VLLM_PP_LAYER_PARTITION: expected at most 2 stages, as there are accelerators, "
        "found 3");
  CHECK(refusal("vllm", "X=1") ==
        "plan: VLLM_PP_LAYER_PARTITION: expected the layers of each stage, such as 20,12, found "
        "nothing");
  CHECK(refusal("vllm", "VLLM_PP_LAYER_PARTITION=2,1\nCUDA_VISIBLE_DEVICES=0,0") ==
        "plan: CUDA_VISIBLE_DEVICES: expected each accelerator once, found 0 again");
  CHECK(refusal("vllm", "VLLM_PP_LAYER_PARTITION=3\nCUDA_VISIBLE_DEVICES=2") ==
        "plan: CUDA_VISIBLE_DEVICES: expected accelerators of the spec, 0 to 1, found 2");
}

TEST_CASE("vLLM's own partition gives what is left to the stages before the last", "[plans]") {
  const Problem problem = problem_for("vllm");
  const auto plans = default_placements(find_plan_target("vllm"), problem);
  REQUIRE(plans.size() == 1);
  CHECK(plans[0].first == "even layers");
  CHECK(devices_of(problem, plans[0].second) == Devices{1, 1, 1, 1, 1, 2, 2, 2, 2});
}

TEST_CASE("llama.cpp offloads the last layers and the output, the input stays on the CPU",
          "[plans]") {
  CHECK(plan_of("llamacpp", {0, 0, 0, 1, 1, 2, 2, 2, 2}) ==
        "--device CUDA0,CUDA1 --n-gpu-layers 3 --tensor-split 1,2\n");
  CHECK(read("llamacpp", "-ngl 3 -ts 1,2") == Devices{0, 0, 0, 1, 1, 2, 2, 2, 2});
  CHECK(read("llamacpp", "--n-gpu-layers=99 -ts 3,1 -dev CUDA1,CUDA0") ==
        Devices{0, 2, 2, 2, 2, 2, 2, 1, 1});
  CHECK(read("llamacpp", "-ngl 0") == Devices(9, 0));
  CHECK(read("llamacpp", "-ngl all -ts 1/3") == Devices{0, 1, 1, 2, 2, 2, 2, 2, 2});
  CHECK(read("llamacpp", "") == Devices{0, 1, 1, 1, 1, 2, 2, 2, 2});  // equal memories
}

TEST_CASE("Every split of llama.cpp's is read as it was written", "[plans]") {
  const Problem problem = problem_for("llamacpp");
  const PlanTarget& target = find_plan_target("llamacpp");
  for (std::size_t cpu = 0; cpu <= 4; ++cpu) {
    for (std::size_t first = 0; cpu + first <= 4; ++first) {
      Devices devices = {0};
      for (std::size_t slot = 0; slot < 4; ++slot) {
        const std::size_t device = slot < cpu ? 0 : slot < cpu + first ? 1 : 2;
        devices.insert(devices.end(), 2, device);
      }
      CAPTURE(devices);
      CHECK(read("llamacpp", write_plan(target, problem, placed(problem, devices))) == devices);
    }
  }
}

TEST_CASE("Arguments that llama.cpp would not take are refused", "[plans]") {
  CHECK(refusal("llamacpp", "-ngl many") ==
        "plan: --n-gpu-layers: expected counts such as 20,12, found 'many'");
  CHECK(refusal("llamacpp", "-ts 1,1,1") ==
        "plan: --tensor-split: expected at most 2 shares, as there are devices, found 3");
  CHECK(refusal("llamacpp", "-ts 0,0") ==
        "plan: --tensor-split: expected a share above 0, found '0,0'");
  CHECK(refusal("llamacpp", "-dev CUDA2") ==
        "plan: --device: expected accelerators of the spec, CUDA0 to CUDA1, found 'CUDA2'");
  CHECK(refusal("llamacpp", "-ngl 9 -ot exps=CPU") ==
        "plan: -ot: expected arguments that place whole layers, found it");
  CHECK(refusal("llamacpp", "-sm row") == "plan: --split-mode: expected layer, found 'row'");
  CHECK(refusal("llamacpp", "zzz") ==
        "plan: arguments: expected arguments of llama.cpp such as -ngl 33 -ts 3,1, found 'zzz'");
}

TEST_CASE("PyTorch's stages begin at modules and hold those up to the next", "[plans]") {
  const std::string plan = plan_of("torch", {1, 1, 1, 1, 1, 2, 2, 2, 2});
  CHECK(plan.find("\"split_spec\": {\n    \"model.layers.2\": \"beginning\"\n  }") !=
        std::string::npos);
  CHECK(plan.find("[\"model.embed\", \"model.layers.0\", \"model.layers.1\"]") !=
        std::string::npos);
  CHECK(read("torch", plan) == Devices{1, 1, 1, 1, 1, 2, 2, 2, 2});
}

TEST_CASE("Parts that leave a module out or name none are refused", "[plans]") {
  CHECK(refusal("torch", R"({"module_fqns_per_model_part": [["model"]]})") ==
        "plan: module_fqns_per_model_part: expected every module in a part, found none with "
        "'head'");
  CHECK(refusal("torch", R"({"module_fqns_per_model_part": [["model", "tail"], ["head"]]})") ==
        "plan: module_fqns_per_model_part[0][1]: expected a module of the graph, found 'tail'");
}

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

TEST_CASE("Accelerate's auto leaves the last GPU what is over, sequential fills the first",
          "[plans]") {
  const Problem problem = problem_for("hf");
  const auto plans = default_placements(find_plan_target("hf"), problem);
  REQUIRE(plans.size() == 2);
  // 9 GiB in all, the largest layer 2: a share of 4.5 GiB and 2.5 more, of which 2 stay free.
  CHECK(devices_of(problem, plans[0].second) == Devices{1, 1, 1, 1, 1, 2, 2, 2, 2});
  // Of 8 GiB 2 stay free on the first.
  CHECK(devices_of(problem, plans[1].second) == Devices{1, 1, 1, 1, 1, 2, 2, 2, 2});
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
