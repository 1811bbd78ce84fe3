#include <catch2/catch.hpp>

#include "io/plans/three_layers.hpp"

namespace placer {
namespace {

using namespace plans;

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

TEST_CASE(
    "The GPU that runs what is offloaded holds the largest layer's weights and all but weights",
    "[plans]") {
  const Problem problem = problem_for("hf");
  const PlanTarget& target = find_plan_target("hf");
  CHECK_FALSE(offload_need(target, problem, placed(problem, {1, 1, 1, 1, 1, 2, 2, 2, 2})));
  // Layers 0 and 1 on the CPU: two layers of 2 GiB; tensors of 8 bytes come, are made and go.
  const auto need = offload_need(target, problem, placed(problem, {1, 0, 0, 0, 0, 1, 1, 2, 2}));
  REQUIRE(need);
  CHECK(need->worker == DeviceId(1));
  CHECK(need->needed_bytes == 2 * kGiB + 16);
  CHECK(need->left_bytes == 5 * kGiB - 16);
  // With all on the CPU, the largest layer is the same.
  CHECK(most_offload_bytes(target, problem, placed(problem, {1, 0, 0, 0, 0, 1, 1, 2, 2})) ==
        2 * kGiB + 16);
  CHECK_FALSE(offload_need(find_plan_target("llamacpp"), problem,
                           placed(problem, {0, 0, 0, 0, 0, 1, 1, 2, 2})));
}

TEST_CASE("Batch norms that were folded into a convolution are on its device by the module around",
          "[plans]") {
  // conv1 has taken in bn1, of which the file says nothing: the whole model covers it.
  for (const std::string bias : {"onnx::Conv_12", "input_bias"}) {
    const std::string plan =
        plan_of("hf", {2, 2, 2, 2, 2, 1, 1, 1, 1}, with_convolution({"conv1.weight", bias}));
    CHECK(plan.starts_with("{\n  \"\": 1,\n  \"conv1\": 1,\n"));
  }
  const Devices apart = {2, 1, 1, 1, 1, 1, 1, 1, 1};
  const Graph folded = with_convolution({"onnx::Conv_11", "onnx::Conv_12"});
  CHECK(read("hf", plan_of("hf", apart, folded), folded) == apart);
}

TEST_CASE("Where nothing was folded away a device map names no module around others", "[plans]") {
  const Devices apart = {2, 1, 1, 1, 1, 1, 1, 1, 1};
  CHECK(plan_of("hf", apart, with_convolution({"conv1.weight", "conv1.bias"}))
            .starts_with("{\n  \"conv1\": 1,\n"));
}

TEST_CASE("A module all of whose modules have their own devices may have one, too", "[plans]") {
  CHECK(read("hf", R"({"": 1, "model": 0, "head": "cpu"})") == Devices{1, 1, 1, 1, 1, 1, 1, 1, 0});
}

}  // namespace
}  // namespace placer
