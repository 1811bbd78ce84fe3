#include "placer/model/modules.hpp"

#include <catch2/catch.hpp>

#include "support/problems.hpp"

namespace placer {
namespace {

using Names = std::vector<std::string>;

Op named(const std::string& name) {
  Op op = testing::timed_op(name, 1);
  op.type = "matmul";
  return op;
}

/// The ops one after the other.
Graph chain_of(const Names& names) {
  std::vector<Op> ops;
  std::vector<Tensor> tensors;
  for (const std::string& name : names) {
    if (!ops.empty()) tensors.push_back(testing::tensor(ops.size() - 1, {ops.size()}, 1));
    ops.push_back(named(name));
  }
  return testing::graph_of(std::move(ops), std::move(tensors));
}

/// The unit of each op.
Names units_of(const Graph& graph, UnitDetail detail = UnitDetail::kModules) {
  const ModelUnits units = model_units(graph, detail);
  Names names;
  for (const std::size_t unit : units.of) names.push_back(units.units[unit].name);
  return names;
}

TEST_CASE("An op is of the module that it says, else of the scopes of its name", "[model]") {
  CHECK(module_path(named("/model/layers.0/mlp/Mul")) == "model.layers.0.mlp");
  CHECK(module_path(named("block0/attention/matmul")) == "block0.attention");
  CHECK(module_path(named("/layer1/layer1.0/conv1/Conv")) == "layer1.0.conv1");
  CHECK(module_path(named("__module.model.layers.0/aten::add/Add")) == "model.layers.0");
  CHECK(module_path(named("matmul_12")).empty());
  Op op = named("node_7");
  op.module = "model.norm";
  CHECK(module_path(op) == "model.norm");
}

TEST_CASE("A path is cut to a depth at its dots", "[model]") {
  CHECK(path_to_depth("model.layers.0.mlp", 1) == "model");
  CHECK(path_to_depth("model.layers.0.mlp", 3) == "model.layers.0");
  CHECK(path_to_depth("model.layers.0.mlp", 4) == "model.layers.0.mlp");
  CHECK(path_to_depth("model", 9) == "model");
}

TEST_CASE("A module holds what its name ends before a dot", "[model]") {
  CHECK(is_within("model.layers.1", "model.layers.1"));
  CHECK(is_within("model.layers.1.mlp", "model.layers.1"));
  CHECK_FALSE(is_within("model.layers.10", "model.layers.1"));
  CHECK(is_within("anything", ""));
}

TEST_CASE("Layers are the modules that a list counts, and others are units of their own",
          "[model]") {
  const Graph graph =
      chain_of({"/model/embed/Gather", "/model/layers.0/norm/Mul", "/model/layers.0/mlp/MatMul",
                "/model/layers.1/mlp/MatMul", "/model/norm/Mul", "/head/MatMul"});
  CHECK(units_of(graph) == Names{"model.embed", "model.layers.0", "model.layers.0",
                                 "model.layers.1", "model.norm", "head"});
  const ModelUnits units = model_units(graph, UnitDetail::kModules);
  CHECK_FALSE(units.units[0].is_layer);
  CHECK(units.units[1].is_layer);
  CHECK(units.are_modules);
}

TEST_CASE("Names that end in numbers count a list where no name is a number", "[model]") {
  CHECK(units_of(chain_of({"stem/conv", "block0/conv1/conv", "block0/conv2/conv",
                           "block1/conv1/conv", "block1/conv2/conv"})) ==
        Names{"stem", "block0", "block0", "block1", "block1"});
}

TEST_CASE("Numbered modules that hold modules are layers, whatever is numbered inside of them",
          "[model]") {
  CHECK(units_of(chain_of({"/encoder/layers/block_0/mlp/mlp.0/Mul",
                           "/encoder/layers/block_0/mlp/mlp.3/Mul",
                           "/encoder/layers/block_1/mlp/mlp.0/Mul"})) ==
        Names{"encoder.layers.block_0", "encoder.layers.block_0", "encoder.layers.block_1"});
}

TEST_CASE("Steps that are numbered and hold no modules are no layers", "[model]") {
  CHECK(units_of(chain_of({"layer0/step0/cell", "layer0/step1/cell", "layer1/step0/cell"})) ==
        Names{"layer0", "layer0", "layer1"});
  CHECK(units_of(chain_of({"attention/step0/add", "attention/step1/add"})) ==
        Names{"attention.step0", "attention.step1"});
}

TEST_CASE("A backward op is at the end of the model where its forward op is", "[model]") {
  // embed -> block0 -> block1 -> head -> loss -> head' -> block1' -> block0' -> embed'
  std::vector<Op> ops;
  std::vector<Tensor> tensors;
  for (const char* name : {"embed/gather", "block0/mlp/mul", "block1/mlp/mul", "head/matmul",
                           "loss", "head/matmul_backward", "block1/mlp/mul_backward",
                           "block0/mlp/mul_backward", "embed/gather_backward"}) {
    if (!ops.empty()) tensors.push_back(testing::tensor(ops.size() - 1, {ops.size()}, 1));
    ops.push_back(named(name));
    ops.back().backward = ops.size() > 5;
  }
  CHECK(units_of(testing::graph_of(std::move(ops), std::move(tensors)), UnitDetail::kLayers) ==
        Names{"input", "block0", "block1", "output", "output", "output", "block1", "block0",
              "input"});
}

TEST_CASE("In a list that holds lists alone, the inner ones are the layers", "[model]") {
  CHECK(units_of(chain_of({"stage1/block0/a/conv", "stage1/block1/a/conv", "stage2/block0/a/conv",
                           "stage2/block1/a/conv"})) ==
        Names{"stage1.block0", "stage1.block1", "stage2.block0", "stage2.block1"});
}

TEST_CASE("With layers alone, what is before and after them is input and output", "[model]") {
  CHECK(units_of(chain_of({"ids", "/embed/Gather", "/layers.0/Mul", "/layers.1/Mul", "/norm/Mul",
                           "/head/MatMul"}),
                 UnitDetail::kLayers) ==
        Names{"input", "input", "layers.0", "layers.1", "output", "output"});
}

TEST_CASE("An op between layers goes with the last layer before it, an input with its only reader",
          "[model]") {
  //  ids -> layers.0 -> add -> layers.1 ; cache -> layers.1
  std::vector<Op> ops = {named("ids"), named("/layers.0/Mul"), named("add"), named("/layers.1/Mul"),
                         named("cache")};
  const Graph graph =
      testing::graph_of(std::move(ops), {testing::tensor(0, {1}, 1), testing::tensor(1, {2}, 1),
                                         testing::tensor(2, {3}, 1), testing::tensor(4, {3}, 1)});
  CHECK(units_of(graph, UnitDetail::kLayers) ==
        Names{"layers.0", "layers.0", "layers.0", "layers.1", "layers.1"});
}

TEST_CASE("Where names say nothing, sequences of ops that repeat are layers", "[model]") {
  std::vector<Op> ops = {named("start")};
  ops[0].type = "input";
  std::vector<Tensor> tensors;
  for (int layer = 0; layer < 4; ++layer) {
    for (const char* type : {"norm", "matmul", "add"}) {
      tensors.push_back(testing::tensor(ops.size() - 1, {ops.size()}, type[0] == 'n' ? 1 : 8));
      ops.push_back(named("op" + std::to_string(ops.size())));
      ops.back().type = type;
    }
  }
  tensors.push_back(testing::tensor(ops.size() - 1, {ops.size()}, 1));
  ops.push_back(named("end"));
  const Graph graph = testing::graph_of(std::move(ops), std::move(tensors));
  const ModelUnits units = model_units(graph, UnitDetail::kLayers);
  CHECK_FALSE(units.are_modules);
  // Tensors to a norm are the smallest, so that layers begin there.
  const Names found = units_of(graph, UnitDetail::kLayers);
  CHECK(found[1] == "repeat.0");
  CHECK(found[3] == "repeat.0");
  CHECK(found[4] == "repeat.1");
  CHECK(found[12] == "repeat.3");
}

TEST_CASE("Without names and repetitions all ops are one unit without a name", "[model]") {
  std::vector<Op> ops = {named("a"), named("b"), named("c")};
  ops[1].type = "relu";
  ops[2].type = "add";
  const Graph graph =
      testing::graph_of(std::move(ops), {testing::tensor(0, {1}, 1), testing::tensor(1, {2}, 1)});
  CHECK(units_of(graph) == Names{"", "", ""});
}

TEST_CASE("Groups that share an op with a name join it, and others stay", "[model]") {
  std::vector<Op> ops = {named("a"), named("b"), named("c"), named("d")};
  ops[0].group = ops[1].group = "tied";
  ops[3].group = "own";
  join_groups(ops, {"layer", "", "layer", ""});
  CHECK(ops[0].group == ops[1].group);
  CHECK(ops[0].group == ops[2].group);
  CHECK(plain_group_name(ops[0].group) == "layer");
  CHECK(ops[3].group == "own");
}

TEST_CASE("An op stands for its nodes, else for itself, and an input for none", "[model]") {
  Op op = named("a");
  CHECK(nodes_of(op) == Names{"a"});
  op.nodes = {"a", "view"};
  CHECK(nodes_of(op) == Names{"a", "view"});
  op.nodes.clear();
  op.type = "input";
  CHECK(nodes_of(op).empty());
}

}  // namespace
}  // namespace placer
