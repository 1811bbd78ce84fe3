// The grouper and the placer of the hierarchical learner.
#include <catch2/catch.hpp>
#include <cmath>

#include "nn/gradients.hpp"
#include "placer/io/devices_file.hpp"
#include "placer/model/zoo.hpp"
#include "search/learned/hierarchical_network.hpp"
#include "support/problems.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

HierarchicalNetwork small_network(const Problem& problem, Index groups = 3) {
  return HierarchicalNetwork({.groups = groups,
                              .devices = 2,
                              .hidden = 4,
                              .attention = 3,
                              .grouper_hidden = 5,
                              .type_embedding = 2,
                              .temperature = 2,
                              .bound = 3},
                             OpTypes(std::span(&problem, 1)), Rng(3));
}

TEST_CASE(
    "features of a diamond: two dimensions padded to four, neighbours in breadth-first order") {
  Graph given = diamond();
  std::vector<Op> ops = given.ops();
  ops[0].outputs = {{{3, 7}, "float"}};
  const Problem problem(graph_of(ops, given.tensors()), alike());
  HierarchicalFeatures features(problem, OpTypes(std::span(&problem, 1)));
  CHECK(features.numbers.rows() == 4);
  CHECK(features.numbers(0, 0) == Approx(std::log(4.0) / 16));
  CHECK(features.numbers(0, 1) == Approx(std::log(8.0) / 16));
  CHECK(features.numbers(0, 2) == -1);
  CHECK(features.numbers(0, 24) == -1);    // a takes from none
  CHECK(features.numbers(0, 30) == 0.25);  // and gives to b, the second of four
  CHECK(features.numbers(0, 31) == 0.5);   // and to c
  CHECK(features.numbers(3, 24) == 0.25);  // d takes from b
  CHECK(features.numbers(3, 25) == 0.5);   // and from c
  CHECK(features.shape_sums(0, 0) == 3);
  CHECK(features.shape_sums(0, 1) == 7);
  CHECK(features.shape_sums(0, 4) == 1e4);  // two tensors of 1 byte: the most
  CHECK(features.shape_sums(1, 4) == 5e3);
  CHECK(features.shape_sums(3, 4) == 0);
}

TEST_CASE("gradients of one grouping with weights 1 and -1 cancel, for a draw has its own noise") {
  const Problem problem(diamond(), alike());
  HierarchicalFeatures features(problem, OpTypes(std::span(&problem, 1)));
  HierarchicalNetwork network = small_network(problem);
  const HierarchicalNetwork::Draw draw{nullptr, 0.3, Rng(6)};
  const std::vector<Index> groups = {0, 2, 1, 2};
  network.parameters().clear_gradients();
  network.add_group_gradient(features, groups, draw, 1);
  const Matrix once = network.parameters().all()[0].gradient;
  CHECK(once.cwiseAbs().maxCoeff() > 1e-3);
  network.add_group_gradient(features, groups, draw, -1);
  for (const nn::Parameter& parameter : network.parameters().all()) {
    CHECK(parameter.gradient.cwiseAbs().maxCoeff() < 1e-12);
  }
}

TEST_CASE("a step along the grouper's gradient makes the grouping likelier") {
  const Problem problem(chain(3), alike());
  HierarchicalFeatures features(problem, OpTypes(std::span(&problem, 1)));
  HierarchicalNetwork network = small_network(problem);
  const std::vector<Index> wanted = {1, 1, 1};
  nn::Adam adam{.learning_rate = 0.05};
  for (int step = 0; step < 100; ++step) {
    network.parameters().clear_gradients();
    network.add_group_gradient(features, wanted, {nullptr, 0, Rng(1)}, 1);
    adam.step(network.parameters());
  }
  CHECK(network.draw_groups(features, {nullptr, 0, Rng(1)}) == wanted);
}

TEST_CASE("the grouper begins with ops that follow each other, in groups of equal size") {
  const Problem problem(chain(6), alike());
  HierarchicalFeatures features(problem, OpTypes(std::span(&problem, 1)));
  HierarchicalNetwork network = small_network(problem);
  // Item 1 of 6 stands at 0.75 groups, 1/4 from the middle of group 0 and 3/4 from that of group 1:
  // with a bound of 3 it begins with 2.25 for the one and 0.75 for the other.
  for (nn::Parameter& parameter : network.parameters().all()) {
    if (parameter.name.starts_with("grouper/output")) parameter.value.setZero();
  }
  CHECK(network.draw_groups(features, {nullptr, 0, Rng(1)}) ==
        std::vector<Index>{0, 0, 1, 1, 2, 2});
}

TEST_CASE("a group's item tells whom the group gives to and whom it takes from") {
  const Problem problem(chain(2), alike());
  HierarchicalFeatures features(problem, OpTypes(std::span(&problem, 1)));
  HierarchicalNetwork network = small_network(problem, 2);
  const Matrix items = network.group_items(features, std::vector<Index>{1, 0}).value();
  const Matrix adjacent = items.rightCols(4);
  CHECK(adjacent == Matrix{{0, 0, 0, 1}, {1, 0, 0, 0}});
}

TEST_CASE("hierarchical groups neighbours: Inception-V3 on 4 GPUs ends below one GPU's time") {
  const Problem problem(generate_model("inception_v3", {}), find_devices("4gpu"));
  const SearchResult result = run_search(problem, request_for("hierarchical", 1200));
  const SearchResult single = run_search(problem, request_for("single-device", 10));
  CHECK(result.recent_mean_seconds < 0.95 * to_seconds(single.score.step_ps));
}

TEST_CASE("the hierarchical learner keeps a chain with slow transfers on one device") {
  const Problem problem(chain(12, 3), alike());
  const SearchResult result = run_search(problem, request_for("hierarchical", 600));
  CHECK(result.recent_mean_seconds < 0.7 * *result.curve[1].mean_seconds);
}

TEST_CASE("a hierarchical policy saved and loaded is the same, with the state of its training") {
  const Problem problem(chain(5), alike());
  SearchRequest request = request_for("hierarchical", 60);
  const OptionValues options = completed_options(request);
  const SearchResult learnt = run_search(problem, request);
  REQUIRE(learnt.policy);
  const auto learner = request.optimizer->learner(options, std::span(&problem, 1), Rng(9));
  learner->load(*learnt.policy);
  Policy saved;
  learner->save(saved);
  CHECK(saved.weights == learnt.policy->weights);
  const auto other = request.optimizer->learner(options, std::span(&problem, 1), Rng(10));
  other->load(saved);
  Policy again;
  other->save(again);
  CHECK(again == saved);
}

TEST_CASE("the weight of entropy, which keeps both devices likely, has fallen to 0 at the end") {
  SearchRequest request = request_for("hierarchical", 1600);
  request.options = {{"entropy", 1.0}, {"learning-rate", 0.01}};
  CHECK(run_search(fast_and_slow(), request).recent_mean_seconds <= 1.05);
}

}  // namespace
}  // namespace placer::testing
