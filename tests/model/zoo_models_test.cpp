#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "placer/base/errors.hpp"
#include "placer/model/op_types.hpp"
#include "placer/model/problem.hpp"
#include "placer/model/zoo.hpp"
#include "placer/sim/simulator.hpp"

namespace placer {
namespace {

/// The graph of one sample.
Graph made(const std::string& name, OptionValues options = {}) {
  options.emplace("batch", 1);
  return generate_model(name, options);
}

double product_flops(const Graph& graph, bool backward = false) {
  double flops = 0;
  for (const Op& op : graph.ops()) {
    if (op.backward == backward && counts_as_product(op.type)) flops += *op.flops;
  }
  return flops;
}

double all_flops(const Graph& graph) {
  double flops = 0;
  for (const Op& op : graph.ops()) flops += *op.flops;
  return flops;
}

std::int64_t parameters(const Graph& graph, std::int64_t bytes_each = 4) {
  std::int64_t bytes = 0;
  for (const Op& op : graph.ops()) bytes += op.backward ? 0 : op.params_bytes;
  return bytes / bytes_each;
}

double stash_bytes(const Graph& graph) {
  std::int64_t bytes = 0;
  for (const Tensor& tensor : graph.tensors()) {
    const auto is_backward = [&](OpId op) { return graph.op(op).backward; };
    if (is_backward(tensor.producer)) continue;
    if (std::ranges::any_of(tensor.consumers, is_backward)) bytes += tensor.bytes;
  }
  return static_cast<double>(bytes);
}

std::size_t forward_ops(const Graph& graph) {
  return static_cast<std::size_t>(std::ranges::count(graph.ops(), false, &Op::backward));
}

const Op& find(const Graph& graph, const std::string& name) {
  const auto op = std::ranges::find(graph.ops(), name, &Op::name);
  INFO(name);
  REQUIRE(op != graph.ops().end());
  return *op;
}

Score on_one_gpu(const Graph& graph, std::int64_t memory_bytes, std::int64_t* peak = nullptr) {
  Device gpu;
  gpu.name = "gpu:0";
  gpu.type = "gpu";
  gpu.memory_bytes = memory_bytes;
  gpu.flops_per_second.of_others = 1e12;
  gpu.bytes_per_second = 1e11;
  const Problem problem(graph, Topology({gpu}, {}));
  Schedule schedule;
  const Score score =
      Simulator(problem, Order::kFifo).evaluate(*problem.all_on(DeviceId(0)), nullptr, &schedule);
  if (peak != nullptr) *peak = schedule.peak_bytes[0];
  return score;
}

TEST_CASE("Models have exactly the published numbers of parameters") {
  const OptionValues inference = {{"inference", true}};
  const auto of_size = [&](const char* size) {
    return OptionValues{{"inference", true}, {"size", size}};
  };
  CHECK(parameters(made("resnet101", inference)) == 44'549'160);
  CHECK(parameters(made("resnet152", inference)) == 60'192'808);
  CHECK(parameters(made("vgg16", inference)) == 138'357'544);
  CHECK(parameters(made("nasnet", of_size("large"))) == 88'753'150);
  CHECK(parameters(made("nasnet", of_size("mobile"))) == 5'289'978);
  CHECK(parameters(made("bert", of_size("base"))) == 109'482'240);
  CHECK(parameters(made("bert", of_size("large"))) == 335'141'888);
  CHECK(parameters(made("bert")) == 109'514'298);  // the masked-word head for the pooler
  CHECK(parameters(made("gpt2", of_size("small"))) == 124'439'808);
  CHECK(parameters(made("gpt2", of_size("medium"))) == 354'823'168);
  CHECK(parameters(made("gpt2", of_size("large"))) == 774'030'080);
  CHECK(parameters(made("gpt2", of_size("xl"))) == 1'557'611'200);
  CHECK(parameters(made("gpt2", {{"untied", true}})) == 124'439'808 + 50'257 * 768);
  CHECK(parameters(made("vit", of_size("b16"))) == 86'567'656);
  CHECK(parameters(made("vit", of_size("b32"))) == 88'224'232);
  CHECK(parameters(made("vit", of_size("l16"))) == 304'326'632);
  CHECK(parameters(made("llm_decode"), 2) == 6'738'415'616);
  CHECK(parameters(made("llm_decode", {{"size", "8b"}}), 2) == 8'030'261'248);
  CHECK(parameters(made("llm_decode", {{"size", "13b"}}), 2) == 13'015'864'320);
  CHECK(parameters(made("llm_decode", {{"size", "70b"}}), 2) == 68'976'648'192);
}

TEST_CASE("Forward products of a sample take the published GFLOP") {
  const auto inference = [](const char* name) { return made(name, {{"inference", true}}); };
  CHECK(product_flops(inference("resnet50")) == Approx(8.2e9).epsilon(0.015));
  CHECK(product_flops(inference("inception_v3")) == Approx(11.4e9).epsilon(0.015));
  CHECK(product_flops(inference("vgg16")) == Approx(30.9e9).epsilon(0.015));
  CHECK(product_flops(inference("bert")) == Approx(22.3e9).epsilon(0.015));
  CHECK(product_flops(inference("vit")) == Approx(35.1e9).epsilon(0.015));
  CHECK(product_flops(inference("resnet101")) == Approx(15.6e9).epsilon(0.015));
  CHECK(product_flops(inference("resnet152")) == Approx(23.0e9).epsilon(0.015));
  CHECK(product_flops(inference("nasnet")) == Approx(47.6e9).epsilon(0.015));  // 23.8 multiply-adds
}

TEST_CASE("A training step stashes 73 MB for each image of VGG-16 and 140 MB of ViT-B/16") {
  CHECK(stash_bytes(made("vgg16")) == Approx(73e6).epsilon(0.02));
  CHECK(stash_bytes(made("vit")) == Approx(140e6).epsilon(0.02));
}

TEST_CASE("Backward products take twice the forward ones, less the first layer's input") {
  for (const char* name : {"vgg16", "vit"}) {
    const Graph graph = made(name);
    const Op& first = *std::ranges::find(graph.ops(), "conv2d", &Op::type);
    CHECK(product_flops(graph, true) ==
          Approx(2 * product_flops(graph) - *first.flops).epsilon(1e-12));
  }
  for (const char* name : {"bert", "gpt2", "rnnlm", "nmt", "moe"}) {
    const Graph graph = made(name);
    CHECK(product_flops(graph, true) == Approx(2 * product_flops(graph)).epsilon(1e-12));
  }
}

TEST_CASE("Layers, ops and fine ops of a model hold the same parameters, flops and stash rules") {
  for (const std::string name : {"resnet50", "nasnet", "vit", "gpt2", "rnnlm", "nmt", "moe"}) {
    CAPTURE(name);
    const Graph coarse = made(name, {{"ops", "layer"}}), ops = made(name);
    const Graph fine = made(name, {{"ops", "fine"}});
    CHECK(parameters(coarse) == parameters(ops));
    CHECK(parameters(fine) == parameters(ops));
    CHECK(all_flops(coarse) == Approx(all_flops(ops)).epsilon(1e-12));
    CHECK(product_flops(fine) == Approx(product_flops(ops)).epsilon(1e-12));
    CHECK(product_flops(fine, true) == Approx(product_flops(ops, true)).epsilon(1e-12));
    CHECK(stash_bytes(coarse) == stash_bytes(ops));
    CHECK(coarse.ops().size() < ops.ops().size() / 2);
    CHECK(fine.ops().size() > ops.ops().size() * 5 / 4);
  }
}

TEST_CASE("Op counts are those of the measured profiles at the same granularity") {
  // PipeDream's profile of ResNet-50 has 177 nodes: modules.
  CHECK(forward_ops(made("resnet50", {{"inference", true}})) == Approx(177).margin(2));
  // Tarnawski's layer graph of a BERT of 24 blocks has 32 nodes.
  CHECK(forward_ops(made("bert", {{"inference", true}, {"ops", "layer"}, {"size", "large"}})) ==
        32);
  // Tarnawski's operator graph of a BERT of 12 blocks has 783.
  CHECK(forward_ops(made("bert", {{"inference", true}, {"ops", "fine"}})) ==
        Approx(783).epsilon(0.05));
  // NASNet is the branchiest: more ops read the same tensor than anywhere else.
  const auto most_readers = [](const Graph& graph) {
    std::size_t most = 0;
    for (const Tensor& tensor : graph.tensors()) most = std::max(most, tensor.consumers.size());
    return most;
  };
  const OptionValues inference = {{"inference", true}};
  CHECK(most_readers(made("nasnet", inference)) > most_readers(made("inception_v3", inference)));
}

TEST_CASE("GPT-2 reaches 10,000 and 100,000 ops by its layers") {
  CHECK(made("gpt2", {{"layers", 159}}).ops().size() == Approx(10'000).epsilon(0.01));
  const Graph graph = made("gpt2", {{"layers", 1588}});
  CHECK(graph.ops().size() == Approx(100'000).epsilon(0.01));
}

TEST_CASE("An update moves 3, 5 or 7 times its weights and keeps no, one or two copies of them") {
  const std::int64_t weights = 4 * 64 * 147;
  const auto update = [](const char* rule) {
    return find(made("resnet50", {{"training", rule}}), "conv1/conv_update");
  };
  CHECK(*update("sgd").bytes == 3.0 * weights);
  CHECK(update("sgd").params_bytes == 0);
  CHECK(*update("momentum").bytes == 5.0 * weights);
  CHECK(update("momentum").params_bytes == weights);
  CHECK(*update("adam").bytes == 7.0 * weights);
  CHECK(update("adam").params_bytes == 2 * weights);
}

TEST_CASE("Tied weights have one update, which sums both gradients, and share one group") {
  const Graph graph = made("gpt2");
  CHECK(find(graph, "logits/matmul").params_bytes == 0);
  CHECK(find(graph, "logits/matmul").group == find(graph, "word_embedding/gather").group);
  const Op& sum = find(graph, "word_embedding/gather_weight_gradient_sum");
  CHECK(sum.outputs[0].shape == std::vector<std::int64_t>{50'257 * 768});
  CHECK(std::ranges::count(graph.ops(), "logits/matmul_update", &Op::name) == 0);
}

TEST_CASE("All time steps of an LSTM layer share one set of weights and one update") {
  const Graph graph = made("rnnlm");
  CHECK(find(graph, "layer0/step0/matmul").params_bytes == 4 * (2048 + 2048) * 4 * 2048);
  CHECK(find(graph, "layer0/step1/matmul").params_bytes == 0);
  CHECK(find(graph, "layer0/step39/matmul_backward").group == "layer0");
  CHECK(std::ranges::count_if(graph.ops(), [](const Op& op) {
          return op.name.starts_with("layer0/") && op.name.ends_with("_update");
        }) == 2);
}

TEST_CASE("NMT fits into one GPU of 12 GB with two layers, not with four or eight") {
  for (const int layers : {2, 4, 8}) {
    const Graph graph = generate_model("nmt", {{"layers", layers}});
    CHECK(on_one_gpu(graph, 12'000'000'000).fits() == (layers == 2));
  }
}

TEST_CASE("A fine graph keeps weights as ops, splits products' gradients and shares groups") {
  const Graph graph = made("resnet50", {{"ops", "fine"}, {"colocate", "weight"}});
  const std::string conv = "layer1_0/conv1/conv";
  for (const char* part : {"", "/weights", "_input_backward", "_weight_backward", "_update"}) {
    CHECK(find(graph, conv + part).group == conv);
  }
  CHECK(find(graph, conv + "/weights").params_bytes == 4 * 64 * 64);
  CHECK(find(graph, conv).params_bytes == 0);
  CHECK(*find(graph, conv + "_input_backward").flops == *find(graph, conv).flops);
  CHECK(std::ranges::count(graph.ops(), "conv1/conv_input_backward", &Op::name) == 0);
}

TEST_CASE("A decode step reads weights and cache once, and holds the cache to its end") {
  const Graph graph = made("llm_decode", {{"layers", 2}, {"context", 1000}});
  const std::int64_t cache = 2LL * 2 * 2 * 1000 * 4096;  // fp16, key and value, two blocks
  std::int64_t kept = 0;
  for (const Tensor& tensor : graph.tensors()) kept += tensor.keep ? tensor.bytes : 0;
  CHECK(kept == cache);
  std::int64_t peak = 0;
  CHECK(on_one_gpu(graph, 80'000'000'000, &peak).fits());
  CHECK(peak > parameters(graph, 1) + cache);
  CHECK(find(graph, "block0/attention/heads/scores").group ==
        find(graph, "block0/attention/heads/scores/cache").group);
  // Two flops for each weight that is multiplied, and the cache.
  const double weights = static_cast<double>(parameters(graph, 2) - 32'000 * 4096 - 5 * 4096);
  CHECK(product_flops(graph) == Approx(2 * weights + 2 * cache / 2.0).epsilon(1e-6));
}

TEST_CASE("A mixture of experts sends each expert its capacity and refuses impossible shapes") {
  const Graph graph = made("moe", {{"tokens", 512}, {"experts", 8}, {"chosen", 2}});
  // 512 * 2 / 8 * 1.25
  CHECK(find(graph, "block1/mixture/expert7/up/matmul").outputs[0].shape ==
        std::vector<std::int64_t>{160, 3072});
  CHECK_THROWS_WITH(made("moe", {{"experts", 2}, {"chosen", 3}}),
                    "option chosen: expected at most the 2 experts, found 3");
  CHECK_THROWS_WITH(made("moe", {{"width", 100}}),
                    "option width: expected a multiple of 64, found 100");
}

TEST_CASE("Every model makes a graph at every granularity whose ops all have costs and types") {
  for (const Model& model : all_models()) {
    CAPTURE(model.name);
    for (const OptionInfo& option : model.options) {
      const auto* choices = std::get_if<Choices>(&option.range);
      if (choices == nullptr) continue;
      for (const std::string& choice : choices->names) {
        const Graph graph = generate_model(model.name, {{option.name, choice}});
        CHECK(std::ranges::all_of(graph.ops(), [](const Op& op) { return !op.type.empty(); }));
        CHECK(std::ranges::all_of(graph.ops(), [](const Op& op) {
          return (op.flops && op.bytes) || !op.seconds.empty();
        }));
      }
    }
  }
}

TEST_CASE("An option of another model is refused") {
  CHECK_THROWS_WITH(generate("resnet50", {{"layers", 3}}),
                    Catch::StartsWith("option layers: expected one of "));
  CHECK_THROWS_WITH(generate("gpt2", {{"tokens", 1025}}),
                    "option tokens: expected an integer from 1 to 1024, found 1025");
}

}  // namespace
}  // namespace placer
