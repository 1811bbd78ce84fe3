#include "io/onnx/split.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "io/onnx/model.hpp"
#include "placer/base/errors.hpp"
#include "placer/io/import.hpp"
#include "support/onnx_builder.hpp"
#include "support/shared_data.hpp"

namespace placer {
namespace {

using testing::OnnxBuilder;
using testing::WireMessage;
using Names = std::vector<std::string>;

OnnxModel model_of(const std::string& bytes) {
  const std::string file = "stage.onnx";
  return read_onnx_model({bytes, file});
}

SplitOnnx split(const OnnxBuilder& model, const std::map<std::string, std::size_t>& device_of,
                const std::vector<ShapeOverride>& shapes = {}) {
  const std::string text = model.bytes(), file = "m.onnx";
  return split_onnx({text, file}, shapes, {device_of, {"gpu:0", "gpu:1"}, ""});
}

template <class Items>
Names names_of(const Items& items) {
  Names names;
  for (const auto& item : items) names.push_back(item.name);
  return names;
}

/// Times that `part` is in `text`.
std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

OnnxBuilder two_products(const OnnxBuilder::Shape& input) {
  OnnxBuilder model;
  model.input("x", input).weights("w", {3, 5}).weights("v", {5, 7}).info("a", {2, 5});
  model.node("MatMul", {"x", "w"}, {"a"}).node("Relu", {"a"}, {"b"});
  model.node("MatMul", {"b", "v"}, {"y"}).output("y");
  return model;
}

TEST_CASE("The stages of a chain are models that name what goes between them", "[onnx]") {
  if (testing::skip_unreadable(".onnx")) return;
  const SplitOnnx got = split(two_products({2, 3}), {{"a", 0}, {"b", 0}, {"y", 1}});
  REQUIRE(got.stages.size() == 2);
  CHECK(got.inputs == Names{"x"});
  CHECK(got.stages[1].device == 1);
  CHECK(got.stages[1].inputs.at(0).name == "b");
  CHECK(got.stages[1].inputs.at(0).stage == 0U);
  CHECK(got.outputs.at(0).stage == 1U);
  const OnnxModel first = model_of(got.stages[0].bytes), last = model_of(got.stages[1].bytes);
  CHECK(names_of(first.initializers) == Names{"w"});
  CHECK(names_of(first.infos) == Names{"a"});
  CHECK(first.nodes.at(0).opset == 17);
  CHECK(names_of(last.inputs) == Names{"b"});
  CHECK(last.inputs.at(0).text() == "2 x 5");
  CHECK(last.outputs.at(0).text() == "2 x 7");
  CHECK(names_of(last.initializers) == Names{"v"});
  CHECK(last.nodes.size() == 1);
}

TEST_CASE("Where inputs have open extents, so has what goes between stages", "[onnx]") {
  if (testing::skip_unreadable(".onnx")) return;
  const SplitOnnx got =
      split(two_products({-1, 3}), {{"a", 0}, {"b", 0}, {"y", 1}}, {{"x", {2, 3}}});
  CHECK(model_of(got.stages.at(0).bytes).inputs.at(0).text() == "batch x 3");
  CHECK(model_of(got.stages.at(1).bytes).inputs.at(0).text() == "? x ?");
}

TEST_CASE("The whole model says each node's stage as ONNX IR 11 does", "[onnx]") {
  if (testing::skip_unreadable(".onnx")) return;
  const std::string got = split(two_products({2, 3}), {{"a", 1}, {"b", 1}, {"y", 0}}).annotated;
  CHECK(got.starts_with("\x08\x0b"));  // ir_version: 11
  WireMessage devices, configured, first, second;
  devices.text(1, "placer").number(2, 2).text(3, "gpu:1").text(3, "gpu:0");
  CHECK(got.ends_with(configured.message(26, devices).bytes()));
  const auto stage = [](int number) {
    return WireMessage().message(10, WireMessage().text(1, "placer").number(3, number)).bytes();
  };
  CHECK(count_of(got, stage(0)) == 2);
  CHECK(count_of(got, stage(1)) == 1);
  CHECK(model_of(got).nodes.size() == 3);
}

TEST_CASE("Calls of functions are replaced by their nodes, which may be in two stages", "[onnx]") {
  if (testing::skip_unreadable(".onnx")) return;
  OnnxBuilder model;
  model.import_opset("local", 1).input("x", {2, 3});
  model.function("Turn", {"a"}, {"b"},
                 {OnnxBuilder::node_of("Neg", {"a"}, {"c"}),
                  OnnxBuilder::node_of("Transpose", {"c"}, {"b"},
                                       {testing::attribute_of_caller("perm", "order")})});
  model.node("local:Turn", {"x"}, {"y"}, {testing::attribute("order", OnnxBuilder::Shape{1, 0})})
      .output("y");
  const SplitOnnx got = split(model, {{"y/Neg", 0}, {"y/Transpose", 1}});
  REQUIRE(got.stages.size() == 2);
  const OnnxModel last = model_of(got.stages[1].bytes);
  CHECK(last.functions.empty());
  REQUIRE(last.nodes.size() == 1);
  CHECK(last.nodes[0].name == "y/Transpose");
  CHECK(last.nodes[0].inputs == Names{"y/c"});
  CHECK(last.nodes[0].attributes.at(0).name == "perm");
  CHECK(last.nodes[0].attributes.at(0).ints == std::vector<std::int64_t>{1, 0});
}

TEST_CASE("A node that was not placed is refused", "[onnx]") {
  if (testing::skip_unreadable(".onnx")) return;
  CHECK_THROWS_WITH(split(two_products({2, 3}), {{"a", 0}, {"b", 0}}),
                    "m.onnx: node 'y' (MatMul, opset 17): expected a node of the graph that was "
                    "placed, found another");
}

}  // namespace
}  // namespace placer
