#include <catch2/catch.hpp>

#include "placer/base/errors.hpp"
#include "placer/io/import.hpp"
#include "support/onnx_builder.hpp"
#include "support/shared_data.hpp"

namespace placer {
namespace {

using testing::attribute;
using testing::OnnxBuilder;
using testing::text_attribute;
using Shape = OnnxBuilder::Shape;

/// One node that reads an input of each shape, and small constants behind them.
struct OneNode {
  std::string op;
  std::vector<Shape> inputs;
  std::vector<testing::WireMessage> attributes = {};
  std::vector<std::vector<std::int64_t>> integers = {};  // inputs behind the others
  std::size_t outputs = 1;
  std::int64_t opset = 17;

  Op imported() const {
    OnnxBuilder model(opset);
    model.import_opset("com.microsoft", 1);
    OnnxBuilder::Names names, made;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      names.push_back("x" + std::to_string(i));
      if (inputs[i] == kLeftOut) {
        names.back() = "";
      } else {
        model.input(names.back(), inputs[i]);
      }
    }
    for (std::size_t i = 0; i < integers.size(); ++i) {
      names.push_back("c" + std::to_string(i));
      model.integers(names.back(), integers[i]);
    }
    for (std::size_t i = 0; i < outputs; ++i) made.push_back("y" + std::to_string(i));
    model.node(op, names, made, attributes);
    // A view is no op; what reads it shows its shape.
    model.node("Relu", {made[0]}, {"behind"});
    const Imported got = import_text(model.bytes(), "m.onnx");
    const std::size_t count = got.graph.ops().size();
    const Op& before = got.graph.ops()[count - 2];
    return before.name == "y0" ? before : got.graph.ops()[count - 1];
  }

  static inline const Shape kLeftOut = {-7};
};

using Shapes = std::vector<Shape>;

Shapes shapes(const OneNode& node) {
  Shapes found;
  for (const OutputShape& output : node.imported().outputs) found.push_back(output.shape);
  return found;
}

double flops(const OneNode& node) { return *node.imported().flops; }
double bytes(const OneNode& node) { return *node.imported().bytes; }

TEST_CASE("Windows slide over images as ONNX counts them", "[import][onnx]") {
  if (testing::skip_unreadable(".onnx")) return;
  const auto pads = attribute("pads", {1, 1, 1, 1}), strides = attribute("strides", {2, 2});
  const auto kernel = attribute("kernel_shape", {3, 3});
  // (224 + 6 - 7) / 2 + 1
  CHECK(shapes({"Conv",
                {{1, 3, 224, 224}, {64, 3, 7, 7}},
                {attribute("pads", {3, 3, 3, 3}), strides}}) == Shapes{{1, 64, 112, 112}});
  CHECK(shapes({"Conv", {{2, 8, 9}, {4, 2, 3}}, {attribute("group", 4)}}) == Shapes{{2, 4, 7}});
  CHECK(shapes({"Conv", {{1, 1, 9, 9}, {1, 1, 3, 3}}, {attribute("dilations", {2, 3})}}) ==
        Shapes{{1, 1, 5, 3}});
  CHECK(shapes({"Conv",
                {{1, 1, 9, 9}, {1, 1, 3, 3}},
                {text_attribute("auto_pad", "SAME_UPPER"), strides}}) == Shapes{{1, 1, 5, 5}});
  // 2 * (5 - 1) + 3 - 2 + 1
  CHECK(shapes({"ConvTranspose",
                {{1, 8, 5, 5}, {8, 2, 3, 3}},
                {strides, pads, attribute("output_padding", {1, 1}), attribute("group", 2)}}) ==
        Shapes{{1, 4, 10, 10}});
  CHECK(shapes({"MaxPool", {{1, 4, 112, 112}}, {kernel, pads, strides}}) == Shapes{{1, 4, 56, 56}});
  CHECK(shapes({"MaxPool", {{1, 4, 6, 6}}, {kernel, strides}}) == Shapes{{1, 4, 2, 2}});
  CHECK(shapes({"MaxPool", {{1, 4, 6, 6}}, {kernel, strides, attribute("ceil_mode", 1)}}) ==
        Shapes{{1, 4, 3, 3}});
  // Windows begin at -1, 1 and 3; of the next, at 4 behind four, only the padding is left.
  CHECK(shapes({"MaxPool", {{1, 4, 4, 4}}, {kernel, pads, strides, attribute("ceil_mode", 1)}}) ==
        Shapes{{1, 4, 3, 3}});
  CHECK(shapes({"MaxPool",
                {{1, 4, 4, 4}},
                {attribute("kernel_shape", {2, 2}), attribute("pads", {0, 0, 1, 1}), strides,
                 attribute("ceil_mode", 1)}}) == Shapes{{1, 4, 2, 2}});
  CHECK(shapes({"AveragePool", {{1, 4, 6, 6}}, {kernel}}) == Shapes{{1, 4, 4, 4}});
  CHECK(shapes({"GlobalAveragePool", {{2, 4, 6, 6}}}) == Shapes{{2, 4, 1, 1}});
  CHECK(
      shapes(
          {"Resize", {{1, 3, 8, 8}, OneNode::kLeftOut, OneNode::kLeftOut}, {}, {{1, 3, 5, 20}}}) ==
      Shapes{{1, 3, 5, 20}});
  CHECK(shapes({"DepthToSpace", {{1, 8, 2, 3}}, {attribute("blocksize", 2)}}) ==
        Shapes{{1, 2, 4, 6}});
  CHECK(shapes({"SpaceToDepth", {{1, 2, 4, 6}}, {attribute("blocksize", 2)}}) ==
        Shapes{{1, 8, 2, 3}});
}

TEST_CASE("Products, norms and elementwise operators keep or broadcast shapes", "[import][onnx]") {
  if (testing::skip_unreadable(".onnx")) return;
  CHECK(shapes({"MatMul", {{5, 1, 2, 3}, {7, 3, 4}}}) == Shapes{{5, 7, 2, 4}});
  CHECK(shapes({"MatMul", {{3}, {7, 3, 4}}}) == Shapes{{7, 4}});
  CHECK(shapes({"MatMul", {{2, 3}, {3}}}) == Shapes{{2}});
  CHECK(shapes({"Gemm", {{3, 2}, {4, 3}, {4}}, {attribute("transA", 1), attribute("transB", 1)}}) ==
        Shapes{{2, 4}});
  CHECK(shapes({"com.microsoft:FusedMatMul",
                {{3, 2}, {4, 3}},
                {attribute("transA", 1), attribute("transB", 1)}}) == Shapes{{2, 4}});
  CHECK(shapes({"Einsum", {{2, 3, 4}, {2, 5, 4}}, {text_attribute("equation", "bij,bkj->bik")}}) ==
        Shapes{{2, 3, 5}});
  CHECK(shapes({"Einsum", {{9, 3, 4}, {4, 3}}, {text_attribute("equation", "...ij, jk")}}) ==
        Shapes{{9, 3, 3}});
  CHECK(shapes({"Add", {{2, 1, 4}, {3, 1}}}) == Shapes{{2, 3, 4}});
  CHECK(shapes({"Where", {{4}, {3, 1}, {}}}) == Shapes{{3, 4}});
  CHECK(shapes({"Softmax", {{2, 3}}}) == Shapes{{2, 3}});
  CHECK(shapes({"LayerNormalization", {{2, 3, 4}, {4}, {4}}, {}, {}, 3}) ==
        Shapes{{2, 3, 4}, {2, 3, 1}, {2, 3, 1}});
  CHECK(shapes({"BatchNormalization",
                {{2, 3, 4, 4}, {3}, {3}, {3}, {3}},
                {attribute("training_mode", 1)},
                {},
                3}) == Shapes{{2, 3, 4, 4}, {3}, {3}});
  CHECK(shapes({"com.microsoft:SkipLayerNormalization", {{2, 3, 4}, {2, 3, 4}, {4}}, {}, {}, 4}) ==
        Shapes{{2, 3, 4}, {2, 3, 1}, {2, 3, 1}, {2, 3, 4}});
  CHECK(shapes({"SoftmaxCrossEntropyLoss", {{2, 9, 4}, {2, 4}}, {}, {}, 2}) ==
        Shapes{{}, {2, 9, 4}});
  CHECK(shapes({"com.microsoft:BiasGelu", {{2, 3, 4}, {4}}}) == Shapes{{2, 3, 4}});
}

TEST_CASE("Axes come from attributes or from inputs, as the operator set has it",
          "[import][onnx]") {
  if (testing::skip_unreadable(".onnx")) return;
  CHECK(shapes({"ReduceMean", {{2, 3, 4}}, {attribute("axes", {1, -1})}, {}, 1, 13}) ==
        Shapes{{2, 1, 1}});
  CHECK(shapes({"ReduceMean", {{2, 3, 4}}, {attribute("keepdims", 0)}, {{1}}, 1, 18}) ==
        Shapes{{2, 4}});
  CHECK(shapes({"ReduceSum", {{2, 3, 4}}, {attribute("keepdims", 0)}}) == Shapes{{}});
  CHECK(shapes({"ReduceSum", {{2, 3}}, {attribute("noop_with_empty_axes", 1)}}) == Shapes{{2, 3}});
  CHECK(
      shapes(
          {"Squeeze", {{1, 3, 1}}, {attribute("axes", std::vector<std::int64_t>{0})}, {}, 1, 11}) ==
      Shapes{{3, 1}});
  CHECK(shapes({"Squeeze", {{1, 3, 1}}, {}, {{-1}}}) == Shapes{{1, 3}});
  CHECK(shapes({"Squeeze", {{1, 3, 1}}}) == Shapes{{3}});
  CHECK(shapes({"Unsqueeze", {{3, 4}}, {}, {{0, -1}}}) == Shapes{{1, 3, 4, 1}});
  CHECK(shapes({"Split", {{7, 2}}, {attribute("num_outputs", 3)}, {}, 3, 18}) ==
        Shapes{{3, 2}, {3, 2}, {1, 2}});
  CHECK(shapes({"Split", {{7, 2}}, {attribute("axis", 0)}, {{5, 2}}, 2}) == Shapes{{5, 2}, {2, 2}});
  CHECK(shapes({"Pad", {{1, 3, 8, 8}}, {attribute("pads", {0, 0, 1, 2, 0, 0, 3, 4})}, {}, 1, 2}) ==
        Shapes{{1, 3, 12, 14}});
  CHECK(shapes({"Pad", {{1, 3, 8, 8}}, {}, {{0, 0, 1, 2, 0, 0, 3, -4}}}) == Shapes{{1, 3, 12, 6}});
  CHECK(shapes({"TopK", {{2, 9}}, {}, {{4}}, 2}) == Shapes{{2, 4}, {2, 4}});
  CHECK(shapes({"ArgMax", {{2, 9}}, {attribute("axis", 1), attribute("keepdims", 0)}}) ==
        Shapes{{2}});
  CHECK(shapes({"Slice", {{10, 10}}, {}, {{1, -3}, {9, 1'000'000}, {0, 1}, {2, 1}}}) ==
        Shapes{{4, 3}});
  CHECK(shapes({"Slice", {{10}}, {}, {{-1}, {-1'000'000}, {0}, {-3}}}) == Shapes{{4}});
  CHECK(shapes({"Slice",
                {{10, 4}},
                {attribute("starts", {2, 0}), attribute("ends", {5, 9})},
                {},
                1,
                9}) == Shapes{{3, 4}});
}

TEST_CASE("Layouts, lookups and scatters have the shapes that ONNX gives them", "[import][onnx]") {
  if (testing::skip_unreadable(".onnx")) return;
  CHECK(shapes({"Reshape", {{2, 3, 4}}, {}, {{0, -1}}}) == Shapes{{2, 12}});
  CHECK(shapes({"Reshape", {{2, 0}}, {attribute("allowzero", 1)}, {{0, 5}}}) == Shapes{{0, 5}});
  CHECK(shapes({"Flatten", {{2, 3, 4}}, {attribute("axis", 2)}}) == Shapes{{6, 4}});
  CHECK(shapes({"Transpose", {{2, 3, 4}}, {attribute("perm", {1, 2, 0})}}) == Shapes{{3, 4, 2}});
  CHECK(shapes({"Transpose", {{2, 3}}}) == Shapes{{3, 2}});
  CHECK(shapes({"Concat", {{2, 3}, {2, 4}}, {attribute("axis", -1)}}) == Shapes{{2, 7}});
  CHECK(shapes({"Expand", {{3, 1}}, {}, {{2, 1, 4}}}) == Shapes{{2, 3, 4}});
  CHECK(shapes({"Tile", {{3, 1}}, {}, {{2, 4}}}) == Shapes{{6, 4}});
  CHECK(shapes({"Gather", {{5, 6, 7}, {2, 3}}, {attribute("axis", 1)}}) == Shapes{{5, 2, 3, 7}});
  CHECK(shapes({"GatherElements", {{5, 6}, {2, 6}}}) == Shapes{{2, 6}});
  CHECK(shapes({"GatherND", {{5, 6, 7}, {4, 2}}}) == Shapes{{4, 7}});
  CHECK(shapes({"GatherND", {{5, 6, 7}, {5, 3, 1}}, {attribute("batch_dims", 1)}}) ==
        Shapes{{5, 3, 7}});
  CHECK(shapes({"ScatterND", {{5, 6}, {4, 1}, {4, 6}}}) == Shapes{{5, 6}});
  CHECK(shapes({"OneHot", {{2, 3}}, {attribute("axis", 1)}, {{10}, {0, 1}}}) == Shapes{{2, 10, 3}});
  CHECK(shapes({"CumSum", {{2, 3}}, {}, {{1}}}) == Shapes{{2, 3}});
  CHECK(shapes({"RandomNormal", {}, {attribute("shape", {3, 4})}}) == Shapes{{3, 4}});
}

TEST_CASE("Recurrent layers and attention have the shapes and flops of their heads and gates",
          "[import][onnx]") {
  if (testing::skip_unreadable(".onnx")) return;
  const OneNode lstm = {"LSTM", {{7, 2, 5}, {1, 12, 5}, {1, 12, 3}}, {}, {}, 3};
  CHECK(shapes(lstm) == Shapes{{7, 1, 2, 3}, {1, 2, 3}, {1, 2, 3}});
  // 7 steps of 2 sequences: 12 gates from 5 inputs and 3 states; 25 more for each unit.
  CHECK(flops(lstm) == 7 * (2 * 2 * 12 * (5 + 3) + 25 * 2 * 3));
  CHECK(shapes({"GRU",
                {{2, 7, 5}, {2, 9, 5}, {2, 9, 3}},
                {attribute("layout", 1), text_attribute("direction", "bidirectional")}}) ==
        Shapes{{2, 7, 2, 3}});
  CHECK(shapes({"RNN", {{7, 2, 5}, {1, 3, 5}, {1, 3, 3}}}) == Shapes{{7, 1, 2, 3}});
  const OneNode attention = {"Attention",
                             {{2, 6, 32}, {2, 9, 16}, {2, 9, 16}},
                             {attribute("q_num_heads", 4), attribute("kv_num_heads", 2)},
                             {},
                             1,
                             23};
  CHECK(shapes(attention) == Shapes{{2, 6, 32}});
  CHECK(flops(attention) == 2 * 4 * 6 * 9 * (4 * 8 + 5));
  const OneNode packed = {
      "com.microsoft:Attention", {{2, 6, 32}, {32, 96}, {96}}, {attribute("num_heads", 4)}};
  CHECK(shapes(packed) == Shapes{{2, 6, 32}});
  CHECK(flops(packed) == 2 * 12 * 96 * 32 + 2 * 4 * 6 * 6 * (4 * 8 + 5));
}

TEST_CASE("Flops and bytes of ONNX operators are those of the formulas", "[import][onnx]") {
  if (testing::skip_unreadable(".onnx")) return;
  // 16 * 5 * 5 outputs, each of 8 * 3 * 3 multiply-adds; depthwise of 3 * 3.
  CHECK(flops({"Conv", {{1, 8, 7, 7}, {16, 8, 3, 3}}}) == 2 * 400 * 72);
  CHECK(flops({"Conv", {{1, 8, 7, 7}, {8, 1, 3, 3}}, {attribute("group", 8)}}) == 2 * 200 * 9);
  CHECK(flops({"ConvTranspose", {{1, 8, 4, 4}, {8, 2, 2, 2}}}) == 2 * 128 * 8);
  CHECK(flops({"MatMul", {{3, 4, 5}, {5, 6}}}) == 2 * 72 * 5);
  CHECK(flops({"Gemm", {{5, 4}, {5, 6}}, {attribute("transA", 1)}}) == 2 * 24 * 5);
  CHECK(flops({"Einsum", {{2, 3, 4}, {2, 5, 4}}, {text_attribute("equation", "bij,bkj->bik")}}) ==
        2 * 30 * 4);
  CHECK(flops({"MaxPool", {{1, 4, 6, 6}}, {attribute("kernel_shape", {3, 2})}}) == 4 * 20 * 6);
  CHECK(flops({"Softmax", {{2, 10}}}) == 5 * 20);
  CHECK(flops({"LayerNormalization", {{2, 10}, {10}}}) == 8 * 20);
  CHECK(flops({"ReduceMean", {{2, 10}}, {attribute("axes", {0, 1})}}) == 20);
  CHECK(flops({"Add", {{2, 10}, {10}}}) == 20);
  CHECK(flops({"Transpose", {{2, 10}}}) == 0);
  CHECK(bytes({"Transpose", {{2, 10}}}) == 4 * 40);
  CHECK(bytes({"Gather", {{1000, 16}, {3}}}) == 4 * (48 + 3));
  CHECK(bytes({"Slice", {{1000, 16}}, {}, {{0}, {2}}}) == 4 * 2 * 32);
}

TEST_CASE("Shapes that do not go together are refused", "[import][onnx]") {
  if (testing::skip_unreadable(".onnx")) return;
  const auto message = [](const OneNode& node) {
    try {
      return shapes(node).empty() ? std::string() : "read";
    } catch (const Error& error) {
      return std::string(error.what()).substr(std::string("m.onnx: node 'y0' ").size());
    }
  };
  CHECK(message({"Add", {{2, 3}, {2}}}) ==
        "(Add, opset 17): expected shapes that broadcast to one another, found 2x3 and 2");
  CHECK(message({"Conv", {{1, 3, 8, 8}, {4, 2, 3, 3}}}) ==
        "(Conv, opset 17): expected weights for 3 channels in 1 groups, found 4x2x3x3");
  CHECK(message({"Conv", {{1, 3, 2, 2}, {4, 3, 3, 3}}}) ==
        "(Conv, opset 17): expected a window of at most 2, found 3");
  CHECK(message({"Reshape", {{2, 3}}, {}, {{4, -1}}}) ==
        "(Reshape, opset 17): expected a shape of 6 elements, like the input 2x3, found 4x-1");
  CHECK(message({"Concat", {{2, 3}, {3, 4}}, {attribute("axis", 1)}}) ==
        "(Concat, opset 17): expected inputs that differ along axis 1 alone, found 3x4 and 2x3");
  CHECK(message({"Transpose", {{2, 3}}, {attribute("perm", {0, 0})}}) ==
        "(Transpose, opset 17): expected each axis once in 'perm', found 0 twice");
  CHECK(message({"Tile", {{1'000'000, 1'000'000}}, {}, {{1'000'000, 1'000'000}}}) ==
        "(Tile, opset 17): expected at most 1000000000000000 elements, found "
        "1000000000000x1000000000000");
  CHECK(message({"Softmax", {{2, 3}}, {attribute("axis", 2)}}) ==
        "(Softmax, opset 17): expected an axis of 2 dimensions, found 2");
}

}  // namespace
}  // namespace placer
