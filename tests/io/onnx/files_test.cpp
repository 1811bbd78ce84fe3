#include <catch2/catch.hpp>
#include <filesystem>
#include <map>

#include "placer/base/errors.hpp"
#include "placer/io/import.hpp"
#include "placer/model/op_types.hpp"
#include "support/shared_data.hpp"

namespace placer {
namespace {

std::string stem(const std::string& file) { return std::filesystem::path(file).stem().string(); }

double product_flops_of(const Graph& graph) {
  double flops = 0;
  for (const Op& op : graph.ops()) {
    if (counts_as_product(op.type)) flops += op.flops.value_or(0);
  }
  return flops;
}

double params_bytes_of(const Graph& graph) {
  double bytes = 0;
  for (const Op& op : graph.ops()) bytes += static_cast<double>(op.params_bytes);
  return bytes;
}

TEST_CASE("Well-known ONNX models have their known flops and parameters", "[import][onnx]") {
  if (testing::skip_unreadable(".onnx")) return;
  struct Known {
    double giga_flops, mega_params;
    std::size_t ops;
  };
  // torchvision's and Hugging Face's counts of parameters; 4 bytes each.
  const std::map<std::string, Known> known = {
      {"resnet50", {8.2, 25.6, 122}},      {"train_resnet50", {8.2, 25.6, 175}},
      {"inception_v3", {11.4, 23.8, 224}}, {"train_inception_v3", {11.4, 23.8, 319}},
      {"bert_base", {22.3, 109.5, 356}},   {"vit_b_16", {35.1, 86.6, 356}}};
  for (const std::string& file : testing::shared_files("onnx", ".onnx")) {
    INFO(file);
    const Imported imported = import_file(file);
    CHECK(imported.format == "onnx");
    const auto at = known.find(stem(file));
    if (at == known.end()) continue;
    CHECK(product_flops_of(imported.graph) == Approx(at->second.giga_flops * 1e9).epsilon(0.015));
    CHECK(params_bytes_of(imported.graph) == Approx(at->second.mega_params * 4e6).epsilon(0.005));
    CHECK(imported.graph.ops().size() == at->second.ops);
  }
}

TEST_CASE("Recurrent ONNX models are a few ops of the flops that their weights say",
          "[import][onnx]") {
  if (testing::skip_unreadable(".onnx")) return;
  for (const std::string& file : testing::shared_files("onnx", ".onnx")) {
    if (stem(file) != "rnnlm_2x2048") continue;
    const Imported imported = import_file(file);
    // 40 steps of 2 layers with 8192 x 4096 weights, and 32,000 words' logits from 2048 units.
    const double products = 2.0 * 40 * (2 * 8192.0 * 4096 + 32000.0 * 2048);
    CHECK(product_flops_of(imported.graph) == Approx(products).epsilon(0.001));
    CHECK(params_bytes_of(imported.graph) ==
          Approx(4.0 * (2 * (8192.0 * 4096 + 2 * 8192) + 2 * 32000.0 * 2048)).epsilon(0.001));
  }
}

/// The shape of the last op, or what is wrong.
std::string outcome(const std::string& file) {
  try {
    const Imported imported = import_file(file);
    std::string text;
    for (const OutputShape& output : imported.graph.ops().back().outputs) {
      text += (text.empty() ? "" : ", ") + output.dtype;
      for (const std::int64_t extent : output.shape) text += " " + std::to_string(extent);
    }
    return imported.graph.ops().back().type + ": " + text;
  } catch (const Error& error) {
    return std::string(error.what()).substr(file.size() + 2);
  }
}

TEST_CASE("Odd ONNX files read right or are refused with a reason", "[import][onnx]") {
  if (testing::skip_unreadable(".onnx")) return;
  const std::map<std::string, std::string> outcomes = {
      {"attention23", "relu: float32 2 16 64"},
      {"bad_matmul",
       "node 'y' (MatMul, opset 17): expected 3 rows in input 1, found 4 (2x3 times 4x5)"},
      {"bf16_cast17", "relu: bfloat16 2 3"},
      {"external_missing", "matmul: float32 2 4096"},
      {"external_shape_const",
       "node 'y' (Reshape, opset 17): expected the value of its input 's', on which a shape "
       "depends, found that its data is in another file (--shape y=1x3, with its own extents, says "
       "what comes out)"},
      {"fp8_cast19", "cast: float8e4m3fn 2 3"},
      {"gelu20", "relu: float32 2 3"},
      {"groupnorm21", "relu: float32 2 4 8 8"},
      {"int4_dql21", "matmul: float32 2 8"},
      {"local_function", "Neg: float32 2 3"},
      {"msft_fused", "batch_matmul: float32 2 16 128"},
      {"pad19_axes", "pad: float32 1 3 10 10"},
      {"reducemean18_axes_input", "reduce_mean: float32 2 3 1"},
      {"reshape21", "input: float32 2 12"},  // a view
      {"resize19_axes", "resize: float32 1 3 16 16"},
      {"rms23", "relu: float32 2 16 64"},
      {"split18_num_outputs", "split: float32 2 3, float32 2 3"},
      {"truncated",
       "expected a whole ONNX model, found 54 bytes that are damaged or end too soon"}};
  for (const std::string& file : testing::shared_files("onnx/odd", ".onnx")) {
    INFO(file);
    REQUIRE(outcomes.contains(stem(file)));
    CHECK(outcome(file) == outcomes.at(stem(file)));
  }
}

}  // namespace
}  // namespace placer
