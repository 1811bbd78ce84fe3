#include "io/onnx/pieces.hpp"

#include <catch2/catch.hpp>

#include "placer/io/import.hpp"
#include "support/onnx_builder.hpp"
#include "support/shared_data.hpp"

namespace placer {
namespace {

using testing::OnnxBuilder;
using Names = std::vector<std::string>;

/// A model cut, its values by their names.
struct Cut {
  OnnxModel model;
  ShapedOnnx shaped;
  OnnxPieces pieces;

  Names names(const std::vector<OnnxValueId>& ids) const {
    Names list;
    for (const OnnxValueId id : ids) list.push_back(shaped.values[id].name);
    return list;
  }
  Names nodes(std::size_t piece) const {
    Names list;
    for (const std::size_t node : pieces.pieces.at(piece).nodes) {
      list.push_back(model.nodes[node].title());
    }
    return list;
  }
  Names inputs(std::size_t piece) const { return names(pieces.pieces.at(piece).inputs); }
  Names outputs(std::size_t piece) const { return names(pieces.pieces.at(piece).outputs); }
  Names initializers(std::size_t piece) const {
    return names(pieces.pieces.at(piece).initializers);
  }
  std::vector<std::size_t> devices() const {
    std::vector<std::size_t> list;
    for (const OnnxPiece& piece : pieces.pieces) list.push_back(piece.device);
    return list;
  }
};

Cut cut(const OnnxBuilder& builder, const std::vector<std::size_t>& device_of) {
  const std::string text = builder.bytes(), file = "m.onnx";
  const ImportSource source(text, file);
  Cut result{read_onnx_model(source), {}, {}};
  result.shaped = shape_onnx(source, result.model, {});
  result.pieces = cut_onnx(result.model, result.shaped, device_of);
  return result;
}

TEST_CASE("A chain over two devices is two pieces with the tensor between them", "[onnx]") {
  if (testing::skip_unreadable(".onnx")) return;
  OnnxBuilder model;
  model.input("x", {2, 3}).weights("w", {3, 5}).weights("v", {5, 7});
  model.node("MatMul", {"x", "w"}, {"a"}).node("Relu", {"a"}, {"b"});
  model.node("MatMul", {"b", "v"}, {"y"}).output("y");
  const Cut got = cut(model, {1, 1, 0});
  CHECK(got.devices() == std::vector<std::size_t>{1, 0});
  CHECK(got.nodes(0) == Names{"a", "b"});
  CHECK(got.inputs(0) == Names{"x"});
  CHECK(got.initializers(0) == Names{"w"});
  CHECK(got.outputs(0) == Names{"b"});
  CHECK(got.inputs(1) == Names{"b"});
  CHECK(got.initializers(1) == Names{"v"});
  CHECK(got.outputs(1) == Names{"y"});
  CHECK(got.pieces.of_node == std::vector<std::size_t>{0, 0, 1});
}

TEST_CASE("A path that leaves a device and comes back to it is three pieces", "[onnx]") {
  if (testing::skip_unreadable(".onnx")) return;
  OnnxBuilder model;
  model.input("x", {2}).node("Relu", {"x"}, {"a"}).node("Neg", {"a"}, {"b"});
  model.node("Add", {"a", "b"}, {"y"}).output("y");
  const Cut got = cut(model, {0, 1, 0});
  CHECK(got.devices() == std::vector<std::size_t>{0, 1, 0});
  CHECK(got.outputs(0) == Names{"a"});
  CHECK(got.inputs(2) == Names{"a", "b"});
}

TEST_CASE("A device whose work waits for another one's begins after it and is one piece",
          "[onnx]") {
  if (testing::skip_unreadable(".onnx")) return;
  OnnxBuilder model;
  model.input("x", {2}).node("Relu", {"x"}, {"a"}).node("Neg", {"a"}, {"early"});
  model.node("Neg", {"early"}, {"earlier"}).node("Abs", {"a"}, {"b"});
  model.node("Add", {"earlier", "b"}, {"y"}).output("y");
  const Cut got = cut(model, {0, 1, 1, 2, 1});
  CHECK(got.devices() == std::vector<std::size_t>{0, 2, 1});
  CHECK(got.nodes(2) == Names{"early", "earlier", "y"});
}

TEST_CASE("What constants alone make is made in each piece that reads it", "[onnx]") {
  if (testing::skip_unreadable(".onnx")) return;
  OnnxBuilder model;
  model.input("x", {3, 3}).weights("w", {3, 3}).node("Transpose", {"w"}, {"t"});
  model.node("MatMul", {"x", "t"}, {"a"}).node("MatMul", {"a", "t"}, {"y"}).output("y");
  const Cut got = cut(model, {0, 0, 1});
  CHECK(got.nodes(0) == Names{"t", "a"});
  CHECK(got.nodes(1) == Names{"t", "y"});
  CHECK(got.inputs(1) == Names{"a"});
  CHECK(got.initializers(1) == Names{"w"});
  CHECK(got.pieces.of_node[0] == 0);
}

TEST_CASE("A shape is taken where its tensor is, and what follows from it where it is needed",
          "[onnx]") {
  if (testing::skip_unreadable(".onnx")) return;
  OnnxBuilder model;
  model.input("x", {4, 2}).input("n", {2}).integers("zero", {0}).integers("two", {2});
  model.node("Relu", {"x"}, {"a"}).node("Shape", {"a"}, {"s"});
  model.node("Gather", {"s", "zero"}, {"rows"}).node("Neg", {"n"}, {"m"});
  model.node("Concat", {"rows", "two"}, {"to"}, {testing::attribute("axis", 0)});
  model.node("Expand", {"m", "to"}, {"y"}).output("y");
  const Cut got = cut(model, {0, 1, 1, 1, 1, 1});
  CHECK(got.nodes(0) == Names{"a", "s"});
  CHECK(got.outputs(0) == Names{"s"});
  CHECK(got.nodes(1) == Names{"rows", "m", "to", "y"});
  CHECK(got.inputs(1) == Names{"n", "s"});
}

TEST_CASE("A view of an input is taken by each piece, one of a tensor where that is", "[onnx]") {
  if (testing::skip_unreadable(".onnx")) return;
  OnnxBuilder model;
  model.input("x", {2, 3}).integers("flat", {6}).node("Reshape", {"x", "flat"}, {"v"});
  model.node("Relu", {"v"}, {"a"}).node("Reshape", {"a", "flat"}, {"seen"});
  model.node("Add", {"v", "seen"}, {"y"}).output("y");
  const Cut got = cut(model, {0, 0, 1, 1});
  CHECK(got.nodes(0) == Names{"v", "a", "seen"});
  CHECK(got.outputs(0) == Names{"seen"});
  CHECK(got.nodes(1) == Names{"v", "y"});
  CHECK(got.inputs(1) == Names{"x", "seen"});
}

TEST_CASE("Random numbers like a constant are drawn once", "[onnx]") {
  if (testing::skip_unreadable(".onnx")) return;
  OnnxBuilder model;
  model.input("x", {3}).weights("w", {3}).node("RandomNormalLike", {"w"}, {"r"});
  model.node("Add", {"x", "r"}, {"a"}).node("Add", {"a", "r"}, {"y"}).output("y");
  const Cut got = cut(model, {0, 0, 1});
  CHECK(got.nodes(1) == Names{"y"});
  CHECK(got.inputs(1) == Names{"r", "a"});
}

TEST_CASE("Outputs that are inputs, initializers or made of them need no node", "[onnx]") {
  if (testing::skip_unreadable(".onnx")) return;
  OnnxBuilder model;
  model.input("x", {3}).weights("w", {3}).node("Identity", {"x"}, {"same"});
  model.output("x").output("w").output("same");
  const Cut got = cut(model, {1});
  REQUIRE(got.devices() == std::vector<std::size_t>{1});
  CHECK(got.outputs(0) == Names{"w", "same"});
  CHECK(got.initializers(0) == Names{"w"});
  CHECK(got.pieces.made_by[got.shaped.inputs.at(0)] == OnnxPieces::kNone);
}

}  // namespace
}  // namespace placer
