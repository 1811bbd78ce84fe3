// Claims of the placers that learn with networks and whose policies serve other graphs.
#include <algorithm>
#include <catch2/catch.hpp>

#include "nn/gradients.hpp"
#include "placer/io/devices_file.hpp"
#include "placer/model/zoo.hpp"
#include "placer/search/training.hpp"
#include "search/learned/gdp_network.hpp"
#include "support/problems.hpp"
#include "support/scheduling_data.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

Policy trained(std::string_view algorithm, std::span<const Problem> problems,
               std::int64_t evaluations) {
  TrainingRequest request;
  request.optimizer = &find_optimizer(algorithm);
  request.evaluations = evaluations;
  return train(problems, request).policy;
}

std::vector<std::string> transferring() { return {"placeto", "gdp"}; }

TEST_CASE("a policy trained on few ops places many at once: all on the fast device") {
  const std::vector<Problem> problems = {fast_and_slow(1), fast_and_slow(2), fast_and_slow(3)};
  for (const std::string& name : transferring()) {
    INFO(name);
    const Policy policy = trained(name, problems, 900);
    SearchRequest request = request_for(name, 1);
    request.policy_in = &policy;
    // Alone on the slow device an op takes 2 s: of four, three belong on the fast one, or all.
    CHECK(run_search(fast_and_slow(4), request).score.step_ps <= to_picoseconds(4));
  }
}

TEST_CASE("a training of a network stopped and resumed ends with the same weights") {
  Rng rng(3);
  const std::vector<Problem> problems = {fast_and_slow(3), Problem(chain(4), alike())};
  for (const std::string& name : transferring()) {
    INFO(name);
    std::vector<Policy> checkpoints;
    TrainingRequest request;
    request.optimizer = &find_optimizer(name);
    request.evaluations = 160;
    request.checkpoint_evaluations = 50;
    request.on_checkpoint = [&](const Policy& policy) { checkpoints.push_back(policy); };
    const Policy whole = train(problems, request).policy;
    REQUIRE(checkpoints.size() >= 2);
    request.resume = &checkpoints[1];
    request.on_checkpoint = [](const Policy&) {};
    CHECK(train(problems, request).policy == whole);
  }
}

TEST_CASE("gradients of GDP's network are those of finite differences, but for cached segments") {
  const Problem problem(fork_join(3), alike());
  const OpTypes types(std::span(&problem, 1));
  GdpGraph graph(problem, types);
  graph.barred.setZero();
  // One segment: all gradients flow. (Through several, those of cached states are stopped.)
  GdpNetwork network({.devices = 2, .width = 8, .heads = 2, .segment = 8}, types, Rng(6));
  stir(network.parameters());
  CHECK(gradient_error(network.parameters(),
                       [&](nn::Tape& tape) { return network.logits(tape, graph); }) < 1e-6);
}

TEST_CASE("GDP's second segment sees the first, whose logits do not see the second") {
  const Problem problem(chain(6), alike());
  const OpTypes types(std::span(&problem, 1));
  GdpGraph graph(problem, types);
  graph.barred.setZero();
  graph.neighbours = IndexRows();
  for (int i = 0; i < 6; ++i) graph.neighbours.add_row({});
  const GdpNetwork network(
      {.devices = 2, .width = 8, .heads = 2, .segment = 3, .superposition = false}, types, Rng(6));
  nn::Tape tape;
  const nn::Matrix before = network.logits(tape, graph).value();
  const auto changed_rows = [&](nn::Index row) {
    GdpGraph other = graph;
    other.features.row(row).array() += 1;
    tape.clear();
    const nn::Matrix after = network.logits(tape, other).value();
    std::vector<bool> changed;
    for (nn::Index i = 0; i < 6; ++i) changed.push_back(after.row(i) != before.row(i));
    return changed;
  };
  CHECK(changed_rows(0) == std::vector<bool>{true, true, true, true, true, true});
  CHECK(changed_rows(5) == std::vector<bool>{false, false, false, true, true, true});
}

TEST_CASE("GDP's entropy weighs half as much on 64 nodes as on 16, and nothing at the end") {
  CHECK(weight_of_entropy(0.1, 0, 4) == 0.1);
  CHECK(weight_of_entropy(0.1, 0, 16) == 0.1);
  CHECK(weight_of_entropy(0.1, 0, 64) == 0.05);
  CHECK(weight_of_entropy(0.1, 0.5, 16) == 0.05);
  CHECK(weight_of_entropy(0.1, 1, 16) == 0);
}

TEST_CASE("GDP tells types and output shapes of ops apart") {
  std::vector<Op> ops = {timed_op("a", 1), timed_op("b", 1)};
  ops[0].type = "avg_pool";
  ops[1].type = "batch_norm";
  ops[0].outputs = {{{3, 7}, "float"}};
  const Problem problem(graph_of(ops, {}), alike());
  const OpTypes types(std::span(&problem, 1));
  GdpGraph graph(problem, types);
  CHECK(graph.features(0, 0) == Approx(std::log(4.0) / 16));
  CHECK(graph.features(0, 1) == Approx(std::log(8.0) / 16));
  CHECK(graph.features(1, 0) == 0);
  const nn::Sparse rows = graph.types.copies(1, 0);
  CHECK(rows.columns[0] == types.row("avg_pool"));
  CHECK(rows.columns[1] == types.row("batch_norm"));
}

TEST_CASE("each learner is 10 % better than random search on Inception-V3, its samples too") {
  const Problem problem(generate_model("inception_v3", {}), find_devices("4gpu"));
  const SearchResult random = run_search(problem, request_for("random", 400));
  for (const std::string& name : transferring()) {
    INFO(name);
    SearchRequest request = request_for(name, 400);
    request.grouping = {};
    const SearchResult result = run_search(problem, request);
    CHECK(to_seconds(result.score.step_ps) < 0.9 * to_seconds(random.score.step_ps));
  }
}

TEST_CASE("a policy of an algorithm without policies for other graphs names those that have them") {
  const std::vector<std::string> names = transferring_algorithms();
  CHECK(std::ranges::count(names, "gdp") == 1);
  CHECK(std::ranges::count(names, "post") == 0);
}

TEST_CASE("GDP takes as many gradient steps for each batch as there are epochs") {
  std::vector<Policy> checkpoints;
  TrainingRequest request;
  request.optimizer = &find_optimizer("gdp");
  request.options = {{"batch", std::int64_t{20}}, {"epochs", std::int64_t{3}}};
  request.evaluations = 60;
  request.checkpoint_evaluations = 40;
  request.on_checkpoint = [&](const Policy& policy) { checkpoints.push_back(policy); };
  const Problem problem = fast_and_slow(2);
  train(std::span(&problem, 1), request);
  REQUIRE_FALSE(checkpoints.empty());
  const auto& counters = checkpoints.front().counters;
  const auto steps = std::ranges::find(counters, "adam", &NamedCounters::name);
  REQUIRE(steps != counters.end());
  CHECK(steps->values == std::vector<std::int64_t>{2 * 3});  // of 40 evaluations
}

}  // namespace
}  // namespace placer::testing
