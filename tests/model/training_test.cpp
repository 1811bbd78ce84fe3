#include "placer/model/training.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "placer/base/errors.hpp"
#include "placer/model/op_types.hpp"
#include "placer/model/zoo.hpp"

namespace placer {
namespace {

const UpdateRule& rule(const char* name) { return *named<TrainingRule>(name); }

Op op(const std::string& name, const std::string& type, double flops, double bytes,
      std::int64_t params_bytes = 0) {
  Op made;
  made.name = name;
  made.type = type;
  made.flops = flops;
  made.bytes = bytes;
  made.params_bytes = params_bytes;
  return made;
}

Tensor tensor(std::size_t producer, std::vector<std::size_t> consumers, std::int64_t bytes) {
  Tensor made;
  made.name = "t" + std::to_string(producer);
  made.producer = OpId(producer);
  for (const std::size_t consumer : consumers) made.consumers.emplace_back(consumer);
  made.bytes = bytes;
  return made;
}

/// input -40-> a (matmul, 400 bytes of weights) -40-> b (relu) -40-> c (matmul, 80 bytes) -8->, and
/// b -40-> d (relu) of which nobody reads 40 bytes.
Graph two_products() {
  return Graph("two",
               {op("input", "input", 0, 40), op("a", "matmul", 200, 480, 400),
                op("b", "relu", 10, 80), op("c", "matmul", 40, 128, 80), op("d", "relu", 10, 80)},
               {tensor(0, {1}, 40), tensor(1, {2}, 40), tensor(2, {3, 4}, 40), tensor(3, {}, 8),
                tensor(4, {}, 40)});
}

std::map<std::string, const Op*> by_name(const Graph& graph) {
  std::map<std::string, const Op*> ops;
  for (const Op& each : graph.ops()) ops[each.name] = &each;
  return ops;
}

std::multiset<std::string> inputs_of(const Graph& graph, const std::string& name) {
  std::multiset<std::string> producers;
  for (const OpId id : IdRange<OpId>(graph.ops().size())) {
    if (graph.op(id).name != name) continue;
    for (const TensorId input : graph.inputs(id)) {
      producers.insert(graph.op(graph.tensor(input).producer).name);
    }
  }
  return producers;
}

TEST_CASE("Products take twice their flops backward, the first behind the input once") {
  const Graph trained = training_graph(two_products(), rule("momentum"));
  const auto ops = by_name(trained);
  CHECK(ops.at("a_backward")->flops == 200);
  CHECK(ops.at("c_backward")->flops == 80);
  CHECK(ops.at("b_backward")->backward);
  CHECK(ops.count("input_backward") == 0);
  CHECK(ops.at("a_update")->bytes == 5 * 400);
  CHECK(ops.at("c_update")->params_bytes == 80);
}

TEST_CASE("A backward op reads gradients and its stash: inputs of products, outputs of relus") {
  const Graph trained = training_graph(two_products(), rule("sgd"));
  using Names = std::multiset<std::string>;
  CHECK(inputs_of(trained, "c_backward") == Names{"loss/softmax_cross_entropy_backward", "b"});
  CHECK(inputs_of(trained, "b_gradient_sum") == Names{"c_backward", "d_backward"});
  CHECK(inputs_of(trained, "b_backward") == Names{"b_gradient_sum", "b"});
  CHECK(inputs_of(trained, "a_backward") == Names{"b_backward", "input"});
  CHECK(inputs_of(trained, "loss/softmax_cross_entropy") == Names{"c", "d", "loss/labels"});
}

TEST_CASE("Update rules move 3, 5 and 7 times the weights and keep 0, 1 and 2 times") {
  const std::map<std::string, std::pair<double, std::int64_t>> expected = {
      {"sgd", {1200, 0}}, {"momentum", {2000, 400}}, {"adam", {2800, 800}}};
  for (const auto& [name, numbers] : expected) {
    const Graph trained = training_graph(two_products(), rule(name.c_str()));
    const auto ops = by_name(trained);
    CHECK(ops.at("a_update")->bytes == numbers.first);
    CHECK(ops.at("a_update")->params_bytes == numbers.second);
  }
}

TEST_CASE("A weight's op, its backward op and its update share a group, others stand alone") {
  const Graph trained = training_graph(two_products(), rule("adam"));
  const auto ops = by_name(trained);
  for (const char* name : {"a", "a_backward", "a_update"}) CHECK(ops.at(name)->group == "a");
  CHECK(ops.at("b")->group.empty());
  CHECK(ops.at("b_backward")->group.empty());
}

TEST_CASE("Measured seconds of products double backward, those behind an input do not") {
  std::vector<Op> ops = two_products().ops();
  for (Op& each : ops) each.seconds = {{"gpu", 0.5}};
  const Graph measured("two", ops, two_products().tensors());
  const Graph trained = training_graph(measured, rule("sgd"));
  const auto found = by_name(trained);
  CHECK(found.at("c_backward")->seconds.front().second == 1.0);
  CHECK(found.at("a_backward")->seconds.front().second == 0.5);
  CHECK(found.at("b_backward")->seconds.front().second == 0.75);  // 120 bytes against 80
  CHECK(found.at("a_update")->seconds.empty());
}

TEST_CASE("A graph that is trained already, and one without parameters, are refused") {
  const Graph trained = training_graph(two_products(), rule("sgd"));
  CHECK_THROWS_WITH(training_graph(trained, rule("sgd")),
                    Catch::Contains("expected an inference graph to train, found the backward op "
                                    "'loss/softmax_cross_entropy_backward'"));
  const Graph constants("c", {op("a", "add", 1, 8, 8)}, {});
  CHECK_THROWS_WITH(training_graph(constants, rule("sgd")),
                    "ops: expected parameters to train on a path to an output, found none");
}

/// What an op is and costs, without the order of its outputs.
std::string text_of(const Op& each) {
  return each.name + " " + each.type + " " + std::to_string(each.flops.value_or(-1)) + " " +
         std::to_string(each.bytes.value_or(-1)) + " " + std::to_string(each.params_bytes) + " " +
         each.group + (each.backward ? " backward" : "");
}

/// Without its name.
std::string text_of(const Graph& graph, const Tensor& each) {
  std::set<std::string> consumers;
  for (const OpId consumer : each.consumers) consumers.insert(graph.op(consumer).name);
  std::string text = graph.op(each.producer).name + " " + std::to_string(each.bytes) + " ->";
  for (const std::string& consumer : consumers) text += " " + consumer;
  return text;
}

std::multiset<std::string> parts_of(const Graph& graph) {
  std::multiset<std::string> parts;
  for (const Op& each : graph.ops()) parts.insert(text_of(each));
  for (const Tensor& each : graph.tensors()) parts.insert(text_of(graph, each));
  return parts;
}

/// How many ops and tensors are in one of the two graphs only.
std::size_t differences(const Graph& a, const Graph& b) {
  std::vector<std::string> different;
  std::ranges::set_symmetric_difference(parts_of(a), parts_of(b), std::back_inserter(different));
  for (const std::string& part : different) UNSCOPED_INFO(part);
  return different.size();
}

TEST_CASE("Networks are trained as generate trains them, but for dropout, shared weights too") {
  CHECK(differences(training_graph(generate_model("vit", {{"inference", true}}), rule("adam")),
                    generate_model("vit", {{"training", "adam"}})) == 0);
  // The dropout op, its backward op, their two tensors and its mask; the tensor before it and the
  // gradient behind it, each with other readers.
  CHECK(differences(training_graph(generate_model("rnnlm", {{"inference", true}, {"tokens", 4}}),
                                   rule("momentum")),
                    generate_model("rnnlm", {{"tokens", 4}})) == 9);
}

double stash_megabytes(const std::string& model) {
  const Graph trained =
      training_graph(generate_model(model, {{"inference", true}, {"batch", 1}}), rule("momentum"));
  std::int64_t bytes = 0;
  for (const Tensor& each : trained.tensors()) {
    const auto is_backward = [&](OpId id) { return trained.op(id).backward; };
    if (!is_backward(each.producer) && std::ranges::any_of(each.consumers, is_backward)) {
      bytes += each.bytes;
    }
  }
  return static_cast<double>(bytes) / 1e6;
}

TEST_CASE("A trained sample of ResNet-50, VGG-16 and ViT-B/16 stashes 86, 73 and 140 MB") {
  CHECK(stash_megabytes("resnet50") == Approx(86).epsilon(0.02));
  CHECK(stash_megabytes("vgg16") == Approx(73).epsilon(0.02));
  CHECK(stash_megabytes("vit") == Approx(140).epsilon(0.02));
}

}  // namespace
}  // namespace placer
