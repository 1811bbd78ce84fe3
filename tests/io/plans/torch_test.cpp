#include <catch2/catch.hpp>

#include "io/plans/three_layers.hpp"
#include "placer/base/errors.hpp"
#include "support/problems.hpp"

namespace placer {
namespace {

using namespace plans;

TEST_CASE("PyTorch's stages begin at modules and hold those up to the next", "[plans]") {
  const std::string plan = plan_of("torch", {1, 1, 1, 1, 1, 2, 2, 2, 2});
  CHECK(plan.find("\"split_spec\": {\n    \"model.layers.2\": \"beginning\"\n  }") !=
        std::string::npos);
  CHECK(plan.find("[\"model.embed\", \"model.layers.0\", \"model.layers.1\"]") !=
        std::string::npos);
  CHECK(read("torch", plan) == Devices{1, 1, 1, 1, 1, 2, 2, 2, 2});
}

TEST_CASE("PyTorch's parts say which batch norms they cannot name", "[plans]") {
  const auto told = [](const std::vector<std::string>& params) {
    const Problem problem = problem_for("torch", with_convolution(params));
    return left_out_of_plan(find_plan_target("torch"), problem,
                            placed(problem, {1, 1, 1, 1, 1, 2, 2, 2, 2}));
  };
  CHECK(told({"conv1.weight", "conv1.bias"}).empty());
  CHECK(told({"onnx::Conv_11", "onnx::Conv_12"}) ==
        "the graph does not name the batch norms that may be folded into 1 of its convolutions, "
        "such as that of 'conv1': add each to the part of its convolution");
}

TEST_CASE("Parts that leave a module out or name none are refused", "[plans]") {
  CHECK(refusal("torch", R"({"module_fqns_per_model_part": [["model"]]})") ==
        "plan: module_fqns_per_model_part: expected every module in a part, found none with "
        "'head'");
  CHECK(refusal("torch", R"({"module_fqns_per_model_part": [["model", "tail"], ["head"]]})") ==
        "plan: module_fqns_per_model_part[0][1]: expected a module of the graph, found 'tail'");
}

TEST_CASE("Split points alone are read: stages begin at modules or behind them", "[plans]") {
  const Devices split = {1, 1, 1, 1, 1, 2, 2, 2, 2};
  CHECK(read("torch", R"({"split_spec": {"model.layers.2": "beginning"}})") == split);
  CHECK(read("torch", R"({"split_spec": {"model.layers.1": "SplitPoint.END"}})") == split);
  CHECK(read("torch", R"({"devices": ["gpu:1", "gpu:0"], "split_spec": {"head": "BEGINNING"}})") ==
        Devices{2, 2, 2, 2, 2, 2, 2, 2, 1});
}

TEST_CASE("Split points that are none are refused", "[plans]") {
  const auto refused = [](const std::string& points) {
    return refusal("torch", R"({"split_spec": {)" + points + "}}");
  };
  CHECK_THAT(refused(R"("model.layers.7": "beginning")"),
             Catch::Contains("a module of the graph, found 'model.layers.7'"));
  CHECK_THAT(refused(R"("head": "middle")"),
             Catch::Contains("expected beginning or end, found 'middle'"));
  CHECK_THAT(refused(R"("head": "end")"), Catch::Contains("found the end of the model"));
  CHECK_THAT(refused(R"("head": "beginning", "model.layers.1": "beginning")"),
             Catch::Contains("at most 2 stages, as there are devices, found more"));
  CHECK(refusal("torch", "{}") ==
        "plan: plan: expected split_spec or module_fqns_per_model_part, found neither");
}

TEST_CASE("Modules that could run side by side keep their order in stages", "[plans]") {
  // embed feeds left and right, which both feed head.
  std::vector<Op> ops;
  for (const char* name : {"/embed/MatMul", "/left/MatMul", "/right/MatMul", "/head/MatMul"}) {
    Op& op = ops.emplace_back();
    op.name = name;
    op.type = "matmul";
    op.seconds = {{"gpu", 1}, {"cpu", 1}};
  }
  const Problem problem = problem_for(
      "torch",
      testing::graph_of(std::move(ops), {testing::tensor(0, {1, 2}, 8), testing::tensor(1, {3}, 8),
                                         testing::tensor(2, {3}, 8)}));
  const PlanTarget& target = find_plan_target("torch");
  CHECK_NOTHROW(write_plan(target, problem, placed(problem, {1, 1, 2, 2})));
  CHECK_THROWS_AS(write_plan(target, problem, placed(problem, {1, 2, 1, 2})), Error);
}

TEST_CASE("An input stays with the module that reads it, whatever module comes before", "[plans]") {
  // Two encoders, each with an input of its own, feed head.
  std::vector<Op> ops;
  for (const char* name : {"words", "pixels", "/text/MatMul", "/image/MatMul", "/head/MatMul"}) {
    Op& op = ops.emplace_back();
    op.name = name;
    op.type = name[0] == '/' ? "matmul" : "input";
    op.seconds = {{"gpu", 1}, {"cpu", 1}};
  }
  const Problem problem = problem_for(
      "torch",
      testing::graph_of(std::move(ops), {testing::tensor(0, {2}, 8), testing::tensor(1, {3}, 8),
                                         testing::tensor(2, {4}, 8), testing::tensor(3, {4}, 8)}));
  CHECK(problem.groups().size() == 3);
  CHECK_NOTHROW(write_plan(find_plan_target("torch"), problem, placed(problem, {1, 2, 1, 2, 2})));
}

TEST_CASE("Parts of PyTorch's that are not in the order of the model are refused", "[plans]") {
  CHECK(refusal("torch", R"({"module_fqns_per_model_part": [["head"], ["model"]]})") ==
        "plan: module_fqns_per_model_part: expected parts in the order of the model, found 'head' "
        "in part 0 and 'model.norm', which comes before it, in part 1");
}

TEST_CASE("Split points that contradict the parts beside them are refused", "[plans]") {
  const std::string parts = R"(, "module_fqns_per_model_part": [["model"], ["head"]]})";
  CHECK(read("torch", R"({"split_spec": {"head": "beginning"})" + parts) ==
        Devices{1, 1, 1, 1, 1, 1, 1, 1, 2});
  CHECK(refusal("torch", R"({"split_spec": {"model.layers.2": "beginning"})" + parts) ==
        "plan: split_spec: expected the stages of module_fqns_per_model_part, found "
        "'model.layers.2' in stage 1, there in 0");
  CHECK(refusal("torch", R"({"split_spec": {})" + parts) ==
        "plan: split_spec: expected the stages of module_fqns_per_model_part, found 'head' in "
        "stage 0, there in 1");
}

}  // namespace
}  // namespace placer
