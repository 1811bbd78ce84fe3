#include <algorithm>
#include <catch2/catch.hpp>

#include "placer/base/errors.hpp"
#include "placer/io/import.hpp"
#include "support/onnx_builder.hpp"
#include "support/shared_data.hpp"

namespace placer {
namespace {

using testing::attribute;
using testing::OnnxBuilder;
using Shape = OnnxBuilder::Shape;

Imported imported(const OnnxBuilder& model, const std::vector<ShapeOverride>& shapes = {}) {
  return import_text(model.bytes(), "m.onnx", {.shape = shapes});
}

const Op& op(const Imported& model, const std::string& name) {
  const auto at = std::ranges::find(model.graph.ops(), name, &Op::name);
  if (at == model.graph.ops().end()) throw std::logic_error("no op " + name);
  return *at;
}

TEST_CASE("A product with weights is an op with parameters that reads the input's op",
          "[import][onnx]") {
  if (testing::skip_unreadable(".onnx")) return;
  OnnxBuilder model;
  model.input("x", {2, 3}).weights("w", {3, 5}).node("MatMul", {"x", "w"}, {"y"}).output("y");
  const Imported got = imported(model);
  REQUIRE(got.graph.ops().size() == 2);
  const Op& product = op(got, "y");
  CHECK(product.type == "matmul");
  CHECK(product.flops == 2 * 10 * 3);
  CHECK(product.bytes == 4 * (6 + 15 + 10));
  CHECK(product.params_bytes == 60);
  REQUIRE(product.outputs.size() == 1);
  CHECK(product.outputs[0].shape == Shape{2, 5});
  CHECK(product.outputs[0].dtype == "float32");
  REQUIRE(got.graph.tensors().size() == 2);
  CHECK(got.graph.tensors()[0].name == "x");
  CHECK(got.graph.tensors()[0].bytes == 24);
  CHECK(got.graph.tensors()[0].consumers == std::vector{OpId(1)});
  CHECK_FALSE(got.graph.tensors()[0].keep);
  CHECK(got.graph.tensors()[1].keep);
}

TEST_CASE("A step has as many samples as all inputs of several dimensions begin with",
          "[import][onnx]") {
  if (testing::skip_unreadable(".onnx")) return;
  const auto samples = [](const Shape& second) {
    OnnxBuilder model;
    model.input("x", {8, 3}).input("y", second).input("length", {1});
    model.node("Relu", {"x"}, {"a"}).node("Relu", {"y"}, {"b"}).node("Relu", {"length"}, {"c"});
    return imported(model.output("a").output("b").output("c")).yield.samples;
  };
  CHECK(samples({8, 5}) == 8);
  CHECK(samples({2, 8, 5}) == std::nullopt);
  CHECK(samples({3}) == 8);
}

TEST_CASE("Products of two activations, half floats and four-bit weights count their own bytes",
          "[import][onnx]") {
  if (testing::skip_unreadable(".onnx")) return;
  OnnxBuilder model(21);
  model.input("x", {2, 3}, OnnxBuilder::kHalf).input("y", {3, 5}, OnnxBuilder::kHalf);
  model.weights("w", {5, 7}, OnnxBuilder::kInt4).reals("scale", {0.5F});
  model.node("MatMul", {"x", "y"}, {"both"});
  model.node("DequantizeLinear", {"w", "scale"}, {"wide"});
  model.node("MatMul", {"both", "wide"}, {"z"});
  const Imported got = imported(model);
  CHECK(op(got, "both").type == "batch_matmul");
  CHECK(op(got, "both").bytes == 2 * (6 + 15 + 10));
  CHECK(op(got, "z").type == "matmul");
  CHECK(op(got, "z").params_bytes == 18 + 4);  // 35 half bytes, and a scale
}

TEST_CASE("Sums and products with constants have types of their own", "[import][onnx]") {
  if (testing::skip_unreadable(".onnx")) return;
  OnnxBuilder model;
  model.input("x", {2, 3}).reals("half", {0.5F}).weights("w", {3});
  model.node("Mul", {"half", "x"}, {"scaled"}).node("Mul", {"scaled", "w"}, {"weighted"});
  model.node("Add", {"weighted", "w"}, {"biased"}).node("Add", {"biased", "half"}, {"more"});
  model.node("Div", {"more", "half"}, {"ratio"}).node("Div", {"half", "ratio"}, {"inverse"});
  model.node("Mul", {"inverse", "ratio"}, {"y"});
  std::vector<std::string> types;
  const Imported got = imported(model);
  for (const Op& each : got.graph.ops()) types.push_back(each.type);
  CHECK(types == std::vector<std::string>{"input", "scale", "scale_by_weights", "bias_add",
                                          "add_constant", "scale", "div", "mul"});
}

TEST_CASE("Shapes computed from shapes fold away, and views are read as their inputs",
          "[import][onnx]") {
  if (testing::skip_unreadable(".onnx")) return;
  OnnxBuilder model;  // x.reshape(x.shape[0], -1) the way exporters write it
  model.input("x", {2, 3, 4}).integers("zero", {0}).integers("rest", {-1});
  model.node("Shape", {"x"}, {"shape"});
  model.node("Gather", {"shape", "zero"}, {"batch"}, {attribute("axis", 0)});
  model.node("Concat", {"batch", "rest"}, {"wanted"}, {attribute("axis", 0)});
  model.node("Reshape", {"x", "wanted"}, {"flat"});
  model.node("Identity", {"flat"}, {"same"});
  model.node("Dropout", {"same"}, {"kept", "mask"});
  model.node("Relu", {"kept"}, {"y"}).output("y");
  const Imported got = imported(model);
  REQUIRE(got.graph.ops().size() == 2);
  CHECK(op(got, "y").outputs[0].shape == Shape{2, 12});
  CHECK(got.graph.tensors()[0].consumers == std::vector{OpId(1)});
  REQUIRE(got.notes.size() == 2);
  CHECK(got.notes[0].ends_with(": 3"));
  CHECK(got.notes[1] == "views, read as their inputs: 3");
}

TEST_CASE("Dropout that trains is an op, and so is its reader", "[import][onnx]") {
  if (testing::skip_unreadable(".onnx")) return;
  OnnxBuilder model;
  model.input("x", {2, 3}).reals("ratio", {0.5F}).truth("trains", true);
  model.node("Dropout", {"x", "ratio", "trains"}, {"y", "mask"});
  const Imported got = imported(model);
  CHECK(op(got, "y").type == "dropout");
  CHECK(op(got, "y").outputs[1].dtype == "bool");
}

TEST_CASE("Large weights that two ops read are held once by ops that share a device",
          "[import][onnx]") {
  if (testing::skip_unreadable(".onnx")) return;
  OnnxBuilder model;
  model.input("ids", {4}, OnnxBuilder::kInt64).weights("table", {1024, 512}).weights("b", {512});
  model.node("Gather", {"table", "ids"}, {"rows"});
  model.node("Add", {"rows", "b"}, {"one"}).node("Add", {"one", "b"}, {"two"});
  model.node("Transpose", {"table"}, {"turned"}, {attribute("perm", {1, 0})});
  model.node("MatMul", {"two", "turned"}, {"logits"});
  const Imported got = imported(model);
  CHECK(op(got, "rows").params_bytes == 4 * 1024 * 512);
  CHECK(op(got, "rows").bytes == 4 * 4 * 512 + 4 * 8);  // not the table
  CHECK(op(got, "rows").group == "rows");
  CHECK(op(got, "logits").params_bytes == 0);
  CHECK(op(got, "logits").group == "rows");
  CHECK(op(got, "one").params_bytes == 4 * 512);  // small ones are copied
  CHECK(op(got, "two").params_bytes == 4 * 512);
  CHECK(op(got, "two").group.empty());
}

TEST_CASE("An input of unknown extents is refused until --shape gives them", "[import][onnx]") {
  if (testing::skip_unreadable(".onnx")) return;
  OnnxBuilder model;
  model.input("images", {-1, 3}).info("y", {-1, 3}).node("Relu", {"images"}, {"y"});
  CHECK_THROWS_WITH(
      imported(model),
      "m.onnx: input 'images': expected fixed extents, as --shape images=1x3 would give, found "
      "batch x 3");
  CHECK(op(imported(model, {{"images", {8, 3}}}), "y").outputs[0].shape == Shape{8, 3});
  CHECK_THROWS_WITH(imported(model, {{"images", {8, 3}}, {"image", {1}}}),
                    "m.onnx: --shape: expected the name of an input or of a node's output, found "
                    "'image' (did you mean 'images'?)");
}

TEST_CASE("Shapes in the file are believed unless --shape changes an input", "[import][onnx]") {
  if (testing::skip_unreadable(".onnx")) return;
  OnnxBuilder model;  // says less than it reads, so that the difference shows
  model.input("x", {2, 3}).info("y", {2, 7}).node("Relu", {"x"}, {"y"});
  CHECK(op(imported(model), "y").outputs[0].shape == Shape{2, 7});
  CHECK(op(imported(model, {{"x", {2, 3}}}), "y").outputs[0].shape == Shape{2, 7});
  CHECK(op(imported(model, {{"x", {5, 3}}}), "y").outputs[0].shape == Shape{5, 3});
}

TEST_CASE("What depends on values is refused until --shape says what comes out", "[import][onnx]") {
  if (testing::skip_unreadable(".onnx")) return;
  OnnxBuilder model;
  model.input("x", {2, 3}).node("NonZero", {"x"}, {"places"});
  model.node("Cast", {"places"}, {"y"}, {attribute("to", 1)});
  CHECK_THROWS_WITH(
      imported(model),
      "m.onnx: node 'places' (NonZero, opset 17): expected a number of elements that "
      "is known beforehand, found one that depends on values; --shape places=100, with "
      "its own extents, says it");
  CHECK(op(imported(model, {{"places", {2, 4}}}), "y").outputs[0].shape == Shape{2, 4});
}

TEST_CASE("A function of the model is replaced by its nodes, with the caller's attributes",
          "[import][onnx]") {
  if (testing::skip_unreadable(".onnx")) return;
  OnnxBuilder model;
  model.import_opset("local", 1).input("x", {2, 3});
  model.function("Sum", {"a"}, {"b"},
                 {OnnxBuilder::node_of("Relu", {"a"}, {"t"}),
                  OnnxBuilder::node_of("Softmax", {"t"}, {"b"},
                                       {testing::attribute_of_caller("axis", "over")})});
  model.node("local:Sum", {"x"}, {"y"}, {attribute("over", 1)});
  model.node("local:Sum", {"y"}, {"z"}, {attribute("over", 0)});
  const Imported got = imported(model);
  REQUIRE(got.graph.ops().size() == 5);
  CHECK(got.graph.ops()[1].name == "y/Relu");
  CHECK(got.graph.ops()[4].name == "z/Softmax");
  CHECK(got.graph.ops()[4].type == "softmax");
  OnnxBuilder endless;
  endless.import_opset("local", 1).input("x", {2});
  endless.function("F", {"a"}, {"b"},
                   {OnnxBuilder::node_of("local:F", {"a"}, {"t"}),
                    OnnxBuilder::node_of("local:F", {"t"}, {"b"})});
  endless.node("local:F", {"x"}, {"y"});
  CHECK_THROWS_WITH(imported(endless), Catch::Contains("functions nested at most 16 deep"));
}

TEST_CASE("What an ONNX model cannot mean is refused by node, operator and operator set",
          "[import][onnx]") {
  if (testing::skip_unreadable(".onnx")) return;
  const auto message = [](OnnxBuilder& model) {
    try {
      imported(model);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("read without a fault");
  };
  OnnxBuilder branch, unknown, foreign, future, loose, twice;
  branch.input("c", {}, OnnxBuilder::kBool);
  branch.node("If", {"c"}, {"y"}, {testing::graph_attribute("then_branch")});
  CHECK(message(branch) ==
        "m.onnx: node 'y' (If, opset 17): expected a model without control flow (exporters can "
        "unroll or inline it), found a graph inside a node");
  unknown.input("x", {2}).node("Frobnicate", {"x"}, {"y"});
  CHECK(message(unknown) ==
        "m.onnx: node 'y' (Frobnicate, opset 17): expected an operator whose shapes and costs are "
        "known, found 'Frobnicate'");
  foreign.input("x", {2}).node("org.example:Relu", {"x"}, {"y"});
  CHECK(message(foreign) ==
        "m.onnx: node 'y' (org.example.Relu, opset 0): expected an operator set from 1 to 25 of "
        "its domain, found none");
  future.import_opset("", 99).input("x", {2}).node("Relu", {"x"}, {"y"});
  CHECK(message(future) ==
        "m.onnx: node 'y' (Relu, opset 99): expected an operator set from 1 to "
        "25 of its domain, found 99");
  loose.input("x", {2}).node("Add", {"x", "ghost"}, {"y"});
  CHECK(message(loose) ==
        "m.onnx: node 'y' (Add, opset 17): expected a value that stands before "
        "it, found 'ghost', which nothing makes");
  twice.input("x", {2}).node("Relu", {"x"}, {"x"});
  CHECK(message(twice) ==
        "m.onnx: node 'x' (Relu, opset 17): expected a value name of its own, "
        "found 'x' again");
}

TEST_CASE("A shape on the command line is a name and extents", "[import][onnx]") {
  CHECK(parse_shape("images=1x3x224x224").name == "images");
  CHECK(parse_shape("images=1x3x224x224").shape == Shape{1, 3, 224, 224});
  CHECK(parse_shape("a=b=7").name == "a=b");
  CHECK(parse_shape("scale=").shape.empty());
  for (const std::string text : {"images", "=3", "x=3x", "x=-1", "x=3xx4", "x=3 x 4", "x=batch"}) {
    CHECK_THROWS_WITH(parse_shape(text),
                      "--shape: expected NAME=EXTENTS such as "
                      "images=1x3x224x224, found '" +
                          text + "'");
  }
}

}  // namespace
}  // namespace placer
