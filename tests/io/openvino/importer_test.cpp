#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "placer/base/errors.hpp"
#include "placer/io/import.hpp"
#include "support/shared_data.hpp"

namespace placer {
namespace {

using Shape = std::vector<std::int64_t>;

std::string port(std::size_t id, const Shape& shape, const std::string& precision) {
  std::string text = fmt::format(R"(<port id="{}" precision="{}">)", id, precision);
  for (const std::int64_t extent : shape) text += fmt::format("<dim>{}</dim>", extent);
  return text + "</port>";
}

/// A layer of the given type that reads a Parameter for each of its inputs.
struct OneLayer {
  std::string type, data;
  std::vector<Shape> inputs;
  Shape output;
  std::vector<std::string> precisions = {};  // of the inputs; FP32 where there are fewer

  std::string xml() const {
    std::string layers, edges, ports;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const std::string precision = i < precisions.size() ? precisions[i] : "FP32";
      layers +=
          fmt::format(R"(<layer id="{}" name="in{}" type="Parameter"><output>{}</output></layer>)",
                      i, i, port(0, inputs[i], precision));
      ports += port(i, inputs[i], precision);
      edges += fmt::format(R"(<edge from-layer="{}" from-port="0" to-layer="{}" to-port="{}"/>)", i,
                           inputs.size(), i);
    }
    return fmt::format(
        R"(<net name="n" version="11"><layers>{}<layer id="{}" name="it" type="{}"><data {}/>)"
        R"(<input>{}</input><output>{}</output></layer></layers><edges>{}</edges></net>)",
        layers, inputs.size(), type, data, ports, port(99, output, "FP32"), edges);
  }
};

Op imported(const OneLayer& layer) {
  const Imported model = import_text(layer.xml(), "m.xml");
  REQUIRE(model.graph.ops().size() == layer.inputs.size() + 1);
  return model.graph.ops().back();
}

double flops(const OneLayer& layer) { return *imported(layer).flops; }

TEST_CASE("Products of an IR count two flops for each multiply-add", "[import]") {
  if (testing::skip_unreadable(".xml")) return;
  // 16 * 5 * 5 outputs, each 8 * 3 * 3 multiply-adds.
  CHECK(flops({"Convolution", "", {{1, 8, 7, 7}, {16, 8, 3, 3}}, {1, 16, 5, 5}}) == 2 * 400 * 72);
  // Depthwise: 8 groups of one channel.
  CHECK(flops({"GroupConvolution", "", {{1, 8, 7, 7}, {8, 1, 1, 3, 3}}, {1, 8, 5, 5}}) ==
        2 * 200 * 9);
  // Each of 8 * 4 * 4 inputs goes to 2 channels of a 2 x 2 window.
  CHECK(flops({"ConvolutionBackpropData", "", {{1, 8, 4, 4}, {8, 2, 2, 2}}, {1, 2, 8, 8}}) ==
        2 * 128 * 8);
  CHECK(flops({"MatMul", "", {{3, 4, 5}, {5, 6}}, {3, 4, 6}}) == 2 * 72 * 5);
  CHECK(flops({"MatMul", R"(transpose_a="true")", {{5, 4}, {5, 6}}, {4, 6}}) == 2 * 24 * 5);
  // 2 heads, 3 queries, 7 keys, width 4: two products and a softmax of 42 scores.
  CHECK(flops({"ScaledDotProductAttention", "", {{2, 3, 4}, {2, 7, 4}, {2, 7, 4}}, {2, 3, 4}}) ==
        2 * 2 * 42 * 4 + 5 * 42);
  // 2 sequences of 6 steps; 4 gates of 3 from 5 inputs and 3 states.
  CHECK(flops({"LSTMSequence",
               "",
               {{2, 6, 5}, {2, 1, 3}, {2, 1, 3}, {2}, {1, 12, 5}, {1, 12, 3}, {1, 12}},
               {2, 1, 6, 3}}) == 2 * 12 * (60 + 36));
  CHECK(imported({"MatMul", "", {{4, 5}, {5, 6}}, {4, 6}}).type == "matmul");
}

TEST_CASE("Other layers of an IR count flops for each element, window or none", "[import]") {
  if (testing::skip_unreadable(".xml")) return;
  CHECK(flops({"SoftMax", "", {{2, 10}}, {2, 10}}) == 5 * 20);
  CHECK(flops({"MVN", "", {{2, 10}, {1}}, {2, 10}}) == 8 * 20);
  CHECK(flops({"Add", "", {{2, 10}, {10}}, {2, 10}}) == 20);
  CHECK(flops({"MaxPool", R"(kernel="3,2")", {{1, 4, 6, 6}}, {1, 4, 2, 3}}) == 24 * 6);
  CHECK(flops({"ReduceMean", "", {{2, 10}, {1}}, {2}}) == 20);
  CHECK(flops({"Concat", "", {{2, 3}, {2, 4}}, {2, 7}}) == 0);
}

TEST_CASE("A lookup of an IR moves its indices and rows, not the table", "[import]") {
  if (testing::skip_unreadable(".xml")) return;
  const OneLayer gather = {"Gather", "", {{1000, 16}, {3}, {}}, {3, 16}, {"FP32", "I64", "I32"}};
  CHECK(imported(gather).bytes == 3 * 8 + 4 + 3 * 16 * 4);
  CHECK(imported({"Concat", "", {{2, 3}, {2, 4}}, {2, 7}, {"FP16"}}).bytes ==
        6 * 2 + 8 * 4 + 14 * 4);
}

TEST_CASE("A product of an IR whose shapes do not go with its type is refused", "[import]") {
  if (testing::skip_unreadable(".xml")) return;
  CHECK_THROWS_WITH(flops({"Convolution", "", {{1, 8, 7, 7}}, {1, 16, 5, 5}}),
                    "m.xml: layer 1 ('it'): expected at least 2 inputs of a Convolution, found 1");
  CHECK_THROWS_WITH(flops({"GroupConvolution", "", {{1, 8, 7, 7}, {8}}, {1, 16, 5, 5}}),
                    "m.xml: layer 2 ('it'): expected at least 3 dimensions of input 1, found 1");
}

}  // namespace
}  // namespace placer
