// Models that no exporter writes: each is read or refused in one line, at once.
#include <catch2/catch.hpp>

#include "placer/base/errors.hpp"
#include "placer/io/import.hpp"
#include "support/onnx_builder.hpp"
#include "support/shared_data.hpp"

namespace placer {
namespace {

using testing::attribute;
using testing::OnnxBuilder;

std::string outcome(const OnnxBuilder& model) {
  try {
    import_text(model.bytes(), "m.onnx");
  } catch (const Error& error) {
    return error.what();
  }
  return "read";
}

TEST_CASE("Inputs left out and outputs left out are no way past the checks", "[import][onnx]") {
  if (testing::skip_unreadable(".onnx")) return;
  OnnxBuilder divided, bare, nameless, silent;
  divided.input("x", {2}).info("y", {2}).node("Div", {"x", ""}, {"y"});
  CHECK(outcome(divided) == "read");  // its shape is the file's word
  bare.input("x", {2}).info("y", {2}).node("Div", {}, {"y"}).node("Relu", {"x"}, {"z"});
  CHECK_THAT(outcome(bare), Catch::Contains("(Div, opset 17): expected"));
  nameless.input("x", {2}).node("Neg", {}, {}).node("Relu", {"x"}, {"y"});
  CHECK_THAT(outcome(nameless), Catch::Contains("(Neg, opset 17): expected"));
  silent.input("x", {2}).integers("a", {1, 2}).node("Relu", {"x"}, {"y"});
  silent.node("Concat", {"a", ""}, {}, {attribute("axis", 0)});
  CHECK_THAT(outcome(silent), Catch::Contains("(Concat, opset 17): expected"));
}

TEST_CASE("What is folded has the shapes of its rule, whatever the file says", "[import][onnx]") {
  if (testing::skip_unreadable(".onnx")) return;
  OnnxBuilder parts;
  parts.input("x", {2}).integers("a", {1, 2, 3, 4, 5}).integers("sizes", {5}).info("p1", {});
  parts.node("Split", {"a", "sizes"}, {"p0", "p1"}, {attribute("num_outputs", 2)});
  parts.node("Relu", {"x"}, {"y"});
  CHECK_THAT(outcome(parts), Catch::Contains("(Split, opset 17): expected 2 sizes, found 1"));
  OnnxBuilder thrice;
  thrice.input("x", {2}).info("y", {2}).info("y1", {2}).info("y2", {2});
  thrice.node("Identity", {"x"}, {"y", "y1", "y2"}).node("Relu", {"y2"}, {"z"});
  CHECK_THAT(outcome(thrice), Catch::Contains("expected at most 1 outputs, found 3"));
  OnnxBuilder negative;
  negative.input("x", {1'000'000}).integers("times", {-9'000'000'000'000'000'000});
  negative.node("Tile", {"x", "times"}, {"y"});
  CHECK_THAT(outcome(negative),
             Catch::Contains("(Tile, opset 17): expected 0 to 1000000000000000"));
}

TEST_CASE("Empty tensors of a vast shape and functions that call without end take no time",
          "[import][onnx]") {
  if (testing::skip_unreadable(".onnx")) return;
  OnnxBuilder vast;
  vast.input("x", {2}).integers("wide", {1'000'000'000'000, 0});
  vast.node("ConstantOfShape", {"wide"}, {"none"});
  vast.node("Concat", {"none", "none"}, {"more"}, {attribute("axis", 1)});
  vast.node("Relu", {"x"}, {"y"});
  CHECK(outcome(vast) == "read");
  OnnxBuilder calls;
  calls.import_opset("local", 1).input("x", {2});
  for (int depth = 0; depth < 10; ++depth) {
    const std::string inner = "local:F" + std::to_string(depth + 1);
    const OnnxBuilder::Names in = {"a"}, out = {"b"};
    calls.function("F" + std::to_string(depth), in, out,
                   std::vector(100, OnnxBuilder::node_of(inner, in, {})));
  }
  calls.function("F10", {"a"}, {"b"}, {});
  calls.node("local:F0", {"x"}, {"y"});
  CHECK_THAT(outcome(calls), Catch::Contains("expected at most 1000000 nodes and calls"));
}

}  // namespace
}  // namespace placer
