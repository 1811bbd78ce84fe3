#include <catch2/catch.hpp>
#include <set>

#include "placer/io/import.hpp"
#include "placer/model/modules.hpp"
#include "support/onnx_builder.hpp"
#include "support/shared_data.hpp"

namespace placer {
namespace {

using testing::OnnxBuilder;
using testing::WireMessage;
using Names = std::vector<std::string>;

TEST_CASE("Views and what is folded away belong to the op that they serve, once",
          "[import][onnx]") {
  if (testing::skip_unreadable(".onnx")) return;
  OnnxBuilder model;
  model.input("x", {2, 3}).weights("w", {5, 3}).integers("extents", {10});
  model.node("Transpose", {"w"}, {"turned"});  // of a constant: folded
  model.node("MatMul", {"x", "turned"}, {"y"});
  model.node("Reshape", {"y", "extents"}, {"flat"});  // a view of y
  model.node("Relu", {"flat"}, {"z"}).output("z");
  const Imported got = import_text(model.bytes(), "m.onnx", {});
  REQUIRE(got.graph.ops().size() == 3);
  CHECK(nodes_of(got.graph.ops()[0]).empty());
  CHECK(nodes_of(got.graph.ops()[1]) == Names{"turned", "y", "flat"});
  CHECK(got.graph.ops()[1].params == Names{"w", "extents"});
  CHECK(nodes_of(got.graph.ops()[2]) == Names{"z"});
}

TEST_CASE("PyTorch's exporter says the module of a node in its metadata", "[import][onnx]") {
  if (testing::skip_unreadable(".onnx")) return;
  WireMessage entry;
  entry.text(1, "pkg.torch.onnx.name_scopes")
      .text(2, "['', 'model', 'model.layers.0', 'model.layers.0.mlp', 'mul']");
  WireMessage node = OnnxBuilder::node_of("Relu", {"x"}, {"y"});
  node.message(9, entry);
  OnnxBuilder model;
  model.input("x", {2, 3}).node(node).output("y");
  const Imported got = import_text(model.bytes(), "m.onnx", {});
  CHECK(module_path(got.graph.ops().back()) == "model.layers.0.mlp");
}

TEST_CASE("Every node and every initializer of a real model is one op's", "[import][onnx]") {
  if (testing::skip_unreadable(".onnx")) return;
  for (const std::string& file : testing::shared_files("onnx", ".onnx")) {
    INFO(file);
    const Imported imported = import_file(file);
    std::multiset<std::string> nodes, params;
    for (const Op& op : imported.graph.ops()) {
      for (const std::string& node : nodes_of(op)) nodes.insert(node);
      params.insert(op.params.begin(), op.params.end());
    }
    const std::set<std::string> distinct_nodes(nodes.begin(), nodes.end());
    const std::set<std::string> distinct_params(params.begin(), params.end());
    CHECK(distinct_nodes.size() == nodes.size());
    CHECK(distinct_params.size() == params.size());
    CHECK(nodes.size() >= imported.graph.ops().size() - 2);
  }
}

}  // namespace
}  // namespace placer
