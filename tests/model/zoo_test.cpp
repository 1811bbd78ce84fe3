#include "placer/model/zoo.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "placer/base/errors.hpp"
#include "placer/model/op_types.hpp"
#include "placer/model/problem.hpp"
#include "placer/sim/simulator.hpp"

namespace placer {
namespace {

using Names = std::set<std::string>;

const Graph& resnet() {
  static const Graph graph = generate_model("resnet50", {});
  return graph;
}
const Graph& inception() {
  static const Graph graph = generate_model("inception_v3", {});
  return graph;
}

OpId find(const Graph& graph, const std::string& name) {
  const auto op = std::ranges::find(graph.ops(), name, &Op::name);
  INFO(name);
  REQUIRE(op != graph.ops().end());
  return OpId(static_cast<std::size_t>(op - graph.ops().begin()));
}

Names producers(const Graph& graph, const std::string& name) {
  Names names;
  for (const TensorId tensor : graph.inputs(find(graph, name))) {
    names.insert(graph.op(graph.tensor(tensor).producer).name);
  }
  return names;
}

std::ptrdiff_t count(const Graph& graph, std::string_view type) {
  return std::ranges::count(graph.ops(), type, &Op::type);
}

double product_flops(const Graph& graph, bool backward) {
  double flops = 0;
  for (const Op& op : graph.ops()) {
    if (op.backward == backward && counts_as_product(op.type)) flops += *op.flops;
  }
  return flops;
}

std::int64_t parameters(const Graph& graph) {
  std::int64_t bytes = 0;
  for (const Op& op : graph.ops()) {
    if (!op.backward) bytes += op.params_bytes;
  }
  return bytes / 4;
}

std::size_t group_count(const Graph& graph) {
  std::size_t groups = 0;
  for (const GroupId group : colocation_groups(graph)) groups = std::max(groups, group.index() + 1);
  return groups;
}

std::int64_t stash_bytes(const Graph& graph) {
  std::int64_t bytes = 0;
  for (const Tensor& tensor : graph.tensors()) {
    const auto is_backward = [&](OpId op) { return graph.op(op).backward; };
    if (is_backward(tensor.producer)) continue;
    if (std::ranges::any_of(tensor.consumers, is_backward)) bytes += tensor.bytes;
  }
  return bytes;
}

Topology one_gpu(std::int64_t memory_bytes) {
  Device gpu;
  gpu.name = "gpu:0";
  gpu.type = "gpu";
  gpu.memory_bytes = memory_bytes;
  gpu.flops_per_second.of_others = 1e12;
  gpu.bytes_per_second = 1e11;
  return Topology({gpu}, {});
}

TEST_CASE("ResNet-50 takes 8.2 and Inception-V3 11.4 GFLOP for an image's forward products") {
  CHECK(product_flops(resnet(), false) / 32 == Approx(8.2e9).epsilon(0.02));
  CHECK(product_flops(inception(), false) / 32 == Approx(11.4e9).epsilon(0.02));
}

TEST_CASE("The generated models have the published numbers of parameters") {
  CHECK(parameters(resnet()) == 25'557'032);
  CHECK(parameters(inception()) == 23'834'568);  // 27,161,264 less the auxiliary classifier
}

TEST_CASE("Backward products take twice the forward ones but for the first convolution's input") {
  for (const Graph* graph : {&resnet(), &inception()}) {
    const Op& first = *std::ranges::find(graph->ops(), "conv2d", &Op::type);
    const double expected = 2 * product_flops(*graph, false) - *first.flops;
    CHECK(product_flops(*graph, true) == Approx(expected).epsilon(1e-12));
  }
}

TEST_CASE("The first convolution of ResNet-50 costs what its shapes say") {
  const Graph graph = generate_model("resnet50", {{"batch", 1}});
  const Op& conv = graph.op(find(graph, "conv1/conv"));
  CHECK(conv.outputs[0].shape == std::vector<std::int64_t>{1, 64, 112, 112});
  CHECK(conv.params_bytes == 4 * 64 * 3 * 7 * 7);
  CHECK(*conv.flops == 2.0 * 64 * 112 * 112 * 147);
  CHECK(*conv.bytes == 4.0 * (3 * 224 * 224 + 64 * 112 * 112 + 64 * 147));
  CHECK(*graph.op(find(graph, "conv1/conv_backward")).flops == *conv.flops);
}

TEST_CASE("A 1x7 convolution keeps the 17 x 17 grid of Inception-V3") {
  const Graph graph = generate_model("inception_v3", {{"batch", 1}});
  const Op& conv = graph.op(find(graph, "mixed_6b/branch7x7_2/conv"));
  CHECK(conv.outputs[0].shape == std::vector<std::int64_t>{1, 128, 17, 17});
  CHECK(*conv.flops == 66'289'664);  // 2 * 17 * 17 * 128 * 128 * 7
  CHECK(graph.op(find(graph, "mixed_7c/concat")).outputs[0].shape ==
        std::vector<std::int64_t>{1, 2048, 8, 8});
}

TEST_CASE("ResNet-50 has 53 convolutions, and every op between input and loss a backward op") {
  CHECK(count(resnet(), "conv2d") == 53);
  CHECK(count(resnet(), "batch_norm") == 53);
  CHECK(count(resnet(), "relu") == 49);
  CHECK(count(resnet(), "add") == 16);
  for (const char* type : {"conv2d", "batch_norm", "relu", "add", "max_pool", "avg_pool", "matmul",
                           "bias_add", "softmax_cross_entropy"}) {
    CAPTURE(type);
    CHECK(count(resnet(), type) == count(resnet(), std::string(type) + "_backward"));
  }
  CHECK(count(resnet(), "input_backward") == 0);
  CHECK(count(resnet(), "sgd_momentum_update") == 53 + 53 + 2);
  CHECK(count(resnet(), "add_n") == 16);  // one for each block's input
}

TEST_CASE("Inception-V3 has 94 convolutions, 14 pools and 11 blocks") {
  CHECK(count(inception(), "conv2d") == 94);
  CHECK(count(inception(), "max_pool") == 4);
  CHECK(count(inception(), "avg_pool") == 10);
  CHECK(count(inception(), "concat") == 11);
  CHECK(count(inception(), "add_n") == 11 + 4);  // blocks' inputs, and forks inside the last two
}

TEST_CASE("Layer groups are the layers: convolutions, additions, pools, concats and the ends") {
  CHECK(group_count(resnet()) == 53 + 16 + 2 + 3);      // input, fc, loss
  CHECK(group_count(inception()) == 94 + 14 + 11 + 4);  // and dropout
  const Graph& graph = inception();
  const std::string group = "mixed_5b/branch5x5_1";
  for (const char* part : {"/conv", "/bn", "/relu", "/conv_backward", "/bn_backward",
                           "/relu_backward", "/conv_update", "/bn_update"}) {
    CHECK(graph.op(find(graph, group + part)).group == group);
  }
}

TEST_CASE("Weight groups hold an op with parameters, its backward op and its update, no others") {
  const Graph graph = generate_model("inception_v3", {{"colocate", "weight"}});
  const std::size_t with_parameters = 94 * 2 + 2;
  CHECK(graph.ops().size() == inception().ops().size());
  CHECK(group_count(graph) == graph.ops().size() - 2 * with_parameters);
  CHECK(graph.op(find(graph, "conv_1a/relu")).group.empty());
  for (const char* part : {"", "_backward", "_update"}) {
    CHECK(graph.op(find(graph, std::string("conv_1a/conv") + part)).group == "conv_1a/conv");
  }
}

TEST_CASE("A backward op reads the gradient and what its forward op stashed") {
  const Graph& graph = resnet();
  CHECK(producers(graph, "layer1_0/conv2/conv_backward") ==
        Names{"layer1_0/conv2/bn_backward", "layer1_0/conv1/relu"});
  CHECK(producers(graph, "layer1_0/conv2/bn_backward") ==
        Names{"layer1_0/conv2/relu_backward", "layer1_0/conv2/conv"});
  CHECK(producers(graph, "layer1_0/conv2/relu_backward") ==
        Names{"layer1_0/conv3/conv_backward", "layer1_0/conv2/relu"});
  CHECK(producers(graph, "layer1_0/add_backward") == Names{"layer1_0/relu_backward"});
  CHECK(producers(graph, "max_pool_backward") == Names{"max_pool_gradient_sum", "conv1/relu"});
  CHECK(producers(graph, "fc/bias_backward") == Names{"loss/softmax_cross_entropy_backward"});
  CHECK(producers(graph, "loss/softmax_cross_entropy_backward") ==
        Names{"loss/softmax_cross_entropy", "loss/labels"});
}

TEST_CASE("Gradients of a tensor that several ops read are summed") {
  CHECK(producers(resnet(), "max_pool_gradient_sum") ==
        Names{"layer1_0/conv1/conv_backward", "layer1_0/shortcut/conv_backward"});
  CHECK(producers(resnet(), "layer1_0/relu_gradient_sum") ==
        Names{"layer1_1/conv1/conv_backward", "layer1_1/add_backward"});
  CHECK(producers(inception(), "mixed_5b/concat_gradient_sum").size() == 4);
}

TEST_CASE("The backward op of a concat gives each branch its own part") {
  const Graph& graph = inception();
  std::vector<std::int64_t> bytes;
  for (const TensorId tensor : graph.outputs(find(graph, "mixed_6a/concat_backward"))) {
    bytes.push_back(graph.tensor(tensor).bytes);
  }
  const std::int64_t channel = 32 * 17 * 17 * 4;
  CHECK(bytes == std::vector<std::int64_t>{384 * channel, 96 * channel, 288 * channel});
}

TEST_CASE("An update reads its gradient, keeps the momentum and moves five times the weights") {
  const Graph& graph = resnet();
  const Op& update = graph.op(find(graph, "conv1/conv_update"));
  const std::int64_t weights = 4 * 64 * 147;
  CHECK(producers(graph, "conv1/conv_update") == Names{"conv1/conv_backward"});
  CHECK(update.params_bytes == weights);
  CHECK(*update.bytes == 5.0 * static_cast<double>(weights));
  CHECK(graph.outputs(find(graph, "conv1/conv_update")).empty());
}

TEST_CASE("ResNet-50 stashes 86 MB for each image") {
  CHECK(static_cast<double>(stash_bytes(resnet())) / 32 == Approx(86e6).epsilon(0.02));
}

TEST_CASE("Inception-V3 at batch 32 fits into 12 GB and holds its stash at least") {
  const Problem problem(inception(), one_gpu(12'000'000'000));
  Simulator simulator(problem, Order::kFifo);
  Schedule schedule;
  const Score score = simulator.evaluate(*problem.all_on(DeviceId(0)), nullptr, &schedule);
  CHECK(score.fits());
  CHECK(schedule.peak_bytes[0] > stash_bytes(inception()) + 2 * 4 * 23'834'568);
}

TEST_CASE("Twice the batch doubles the activations and leaves the parameters") {
  const Graph twice = generate_model("resnet50", {{"batch", 64}});
  CHECK(stash_bytes(twice) == 2 * stash_bytes(resnet()));
  CHECK(product_flops(twice, true) == 2 * product_flops(resnet(), true));
  CHECK(parameters(twice) == parameters(resnet()));
}

TEST_CASE("An inference graph holds the forward ops up to the logits") {
  for (const char* name : {"inception_v3", "resnet50"}) {
    const Graph graph = generate_model(name, {{"batch", 1}, {"inference", true}});
    CHECK(std::ranges::none_of(graph.ops(), &Op::backward));
    CHECK(graph.ops().back().name == "fc/bias");
    CHECK(count(graph, "dropout") == 0);
    CHECK(stash_bytes(graph) == 0);
  }
}

TEST_CASE("Every op of a generated graph has a cost, a type and finite numbers at any batch") {
  for (const char* name : {"inception_v3", "resnet50"}) {
    const Graph graph = generate_model(name, {{"batch", kMostBatch}});
    for (const Op& op : graph.ops()) {
      INFO(op.name);
      CHECK(!op.type.empty());
      CHECK(op.flops.has_value());
      CHECK(op.bytes.has_value());
    }
    CHECK(product_flops(graph, false) > 0);
  }
}

TEST_CASE("A batch out of range and an unknown model are refused in one line") {
  CHECK_THROWS_WITH(generate_model("resnet50", {{"batch", 0}}),
                    "option batch: expected an integer from 1 to 65536, found 0");
  CHECK_THROWS_WITH(generate_model("resnet50", {{"batch", 65'537}}),
                    "option batch: expected an integer from 1 to 65536, found 65537");
  CHECK_THROWS_WITH(generate_model("resnet5", {}),
                    Catch::Contains("found 'resnet5' (did you mean 'resnet50'?)"));
}

TEST_CASE("The models are listed in alphabetical order") {
  CHECK(std::ranges::is_sorted(model_names()));
}

}  // namespace
}  // namespace placer
