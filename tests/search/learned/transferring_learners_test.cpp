// Claims of the placers that learn with networks and whose policies serve other graphs.
#include <algorithm>
#include <catch2/catch.hpp>

#include "placer/io/devices_file.hpp"
#include "placer/model/zoo.hpp"
#include "placer/search/training.hpp"
#include "search/learned/best_start.hpp"
#include "search/learned/gdp_network.hpp"
#include "search/learned/placeto_episodes.hpp"
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

std::vector<std::string> learners() { return {"placeto", "gdp"}; }

TEST_CASE("a policy trained on few ops places many at once: all on the fast device") {
  const std::vector<Problem> problems = {fast_and_slow(1), fast_and_slow(2), fast_and_slow(3)};
  for (const std::string& name : learners()) {
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
  for (const std::string& name : learners()) {
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

TEST_CASE("placeto with each embedding and both rewards ends on the fast device") {
  for (const char* embedding : {"placeto", "graphsage", "pgnn"}) {
    for (const char* reward : {"gain", "terminal"}) {
      INFO(embedding << " " << reward);
      SearchRequest request = request_for("placeto", 400);
      request.options = {{"embedding", std::string(embedding)}, {"reward", std::string(reward)}};
      CHECK(run_search(fast_and_slow(), request).recent_mean_seconds <= 1.02);
    }
  }
}

TEST_CASE("episodes go on from the best placement, after one without moves with two of 32 groups") {
  const Problem problem = fast_and_slow(32);
  const PlacetoGraph graph(problem, PlacetoEmbedding::kPlaceto);
  std::vector<std::size_t> alternating;
  for (std::size_t group = 0; group < 32; ++group) alternating.push_back(group % 2);
  const Candidate best{on_devices(alternating), {}, {.step_ps = 2}};
  const Candidate worse{on_devices(std::vector<std::size_t>(32, 1)), {}, {.step_ps = 4}};
  const Episode unmoved = graph.begin(best.placement);
  Episode moved = graph.begin(worse.placement);
  moved.placement = best.placement;
  BestStart start;
  CHECK_FALSE(start.is_known());
  start.learn(&best, std::span(&moved, 1));
  start.learn(&worse, std::span(&moved, 1));
  Rng rng(1);
  CHECK(start.draw(problem, rng) == best.placement);
  start.learn(&best, std::span(&unmoved, 1));
  Policy policy;
  start.save("best", policy);
  BestStart again;
  again.load("best", 32, policy);
  std::size_t most = 0;
  for (int round = 0; round < 20; ++round) {
    const Placement drawn = again.draw(problem, rng);
    std::size_t changed = 0;
    for (std::size_t group = 0; group < 32; ++group) {
      if (drawn.devices[group] != best.placement.devices[group]) ++changed;
    }
    most = std::max(most, changed);
  }
  CHECK(most == 2);
}

TEST_CASE("returns add up later rewards, each discounted once more") {
  CHECK(returns_of({1, 2, 4}, 1) == std::vector<double>{7, 6, 4});
  CHECK(returns_of({1, 2, 4}, 0.5) == std::vector<double>{3, 4, 4});
}

TEST_CASE("a baseline is the mean return of the last episodes at each step") {
  using Lists = std::vector<std::vector<double>>;
  StepBaseline baseline(2, 2);
  // The first against its own mean 2: -1 and 1, of root mean square 1.
  CHECK(baseline.advantages({{1, 3}}) == Lists{{-1, 1}});
  CHECK(baseline.advantages({{1, 3}}) == Lists{{0, 0}});
  CHECK(baseline.advantages({{3, 1}}) == Lists{{1, -1}});
  // The mean of the last two is 2 and 2.
  CHECK(baseline.advantages({{2, 4}})[0][1] == Approx(std::sqrt(2.0)));
}

TEST_CASE("episodes played together have one baseline, and one measure of their advantages") {
  using Lists = std::vector<std::vector<double>>;
  StepBaseline baseline(2, 2);
  CHECK(baseline.advantages({{1, 1}, {3, 3}}) == Lists{{-1, -1}, {1, 1}});
  // Of their mean 2 and 2: 0, 0, 0 and 4, of root mean square 2.
  CHECK(baseline.advantages({{2, 2}, {2, 6}}) == Lists{{0, 0}, {0, 2}});
}

TEST_CASE("placeto sees the memory of groups and what their devices have free") {
  std::vector<Op> ops = {timed_op("a", 1), timed_op("b", 1)};
  ops[0].params_bytes = 10;
  ops[1].params_bytes = 5;
  const Problem problem(graph_of(ops, {}), alike({.devices = 2, .memory_bytes = 20}));
  PlacetoGraph graph(problem, PlacetoEmbedding::kPlaceto);
  nn::Matrix features(2, 9);
  graph.fill_features(on_devices({0, 0}), 0, 0, features);
  CHECK(features(0, 2) == 1);     // the most
  CHECK(features(1, 2) == 0.5);   // half of it
  CHECK(features(0, 6) == 0.25);  // 15 of 20 bytes are taken
  CHECK(features(1, 6) == 0.25);
  graph.fill_features(on_devices({0, 1}), 0, 0, features);
  CHECK(features(0, 6) == 0.5);
  CHECK(features(1, 6) == 0.75);
}

TEST_CASE("placeto with episodes side by side and steps of few moves ends on the fast device") {
  SearchRequest request = request_for("placeto", 600);
  request.options = {{"episodes", std::int64_t{3}}, {"moves", std::int64_t{1}}};
  CHECK(run_search(fast_and_slow(2), request).recent_mean_seconds <= 2.05);
}

TEST_CASE("a group sees of each device its neighbours, the work and the memory there") {
  // a of 1 s feeds b of 2 s and c of 3 s, both feed d of 1 s; each transfer takes 1 s.
  const Problem problem(diamond(), alike({.devices = 2, .memory_bytes = 16}));
  const GroupGraph graph(problem);
  const EmbeddedGraph embedded(graph, PlacetoEmbedding::kPlaceto);
  const std::vector<std::int64_t> bytes = {4, 2, 2, 0};
  DeviceViews views(problem, graph, embedded.parallel, bytes);
  nn::Matrix rows(2, DeviceViews::kFeatures);
  views.fill(on_devices({0, 0, 1, 1}), 1, 0, rows);                           // of b
  const double of_two = std::log(1.5) / 4, three_of_two = std::log(2.5) / 4;  // s over b's 2 s
  nn::Matrix expected(2, DeviceViews::kFeatures);
  expected << 1, 1, 0, 1.0 / 5, 0, 1 - 6.0 / 16, 0, 0, of_two, 0,  //
      0, 0, 1, 4.0 / 5, 1, 1 - 4.0 / 16, 0, of_two, 0, three_of_two;
  CHECK((rows - expected).cwiseAbs().maxCoeff() < 1e-12);
}

TEST_CASE("a shared scorer gives devices that change their views each other's scores") {
  const Problem problem(fork_join(3), alike());
  const GroupGraph groups(problem);
  EmbeddedGraph graph(groups, PlacetoEmbedding::kPlaceto);
  PlacetoNetwork network({.devices = 2, .scorer = PlacetoScorer::kShared}, Rng(4));
  Rng rng(5);
  nn::Matrix features(5, 9), views(2, DeviceViews::kFeatures);
  for (double& value : features.reshaped()) value = rng.uniform();
  for (double& value : views.reshaped()) value = rng.uniform();
  const std::vector<std::uint32_t> currents = {1};
  const auto scores = [&](const nn::Matrix& seen) {
    nn::Tape tape;
    return nn::Matrix(network.logits(tape, graph, tape.constant(features), seen, currents).value());
  };
  const nn::Matrix once = scores(views), exchanged = scores(views.colwise().reverse());
  CHECK(once(0, 0) != once(0, 1));
  CHECK(exchanged(0, 0) == Approx(once(0, 1)));
  CHECK(exchanged(0, 1) == Approx(once(0, 0)));
}

/// d(sum of squares of logits)/d(parameters) against central differences, in some entries of each.
template <class Forward>
void check_gradients(nn::Parameters& parameters, const Forward& forward) {
  constexpr double kStep = 1e-5;
  // Away from the kinks of relu, where biases are 0.
  Rng rng(8);
  for (nn::Parameter& parameter : parameters.all()) {
    for (double& value : parameter.value.reshaped()) value += 0.2 * rng.uniform() - 0.1;
  }
  const auto loss = [&](nn::Tape& tape) {
    const nn::Var logits = forward(tape);
    return nn::scale(nn::sum(nn::multiply(logits, logits)), 0.5);
  };
  nn::Tape tape;
  parameters.clear_gradients();
  tape.backward(loss(tape));
  const auto at = [&] {
    tape.clear();
    return loss(tape).value()(0, 0);
  };
  for (nn::Parameter& parameter : parameters.all()) {
    INFO(parameter.name);
    const nn::Matrix gradient = parameter.gradient;
    const nn::Index stride = std::max<nn::Index>(1, gradient.size() / 5);
    for (nn::Index i = 0; i < gradient.size(); i += stride) {
      double& value = parameter.value.data()[i];
      const double before = value;
      value = before + kStep;
      const double above = at();
      value = before - kStep;
      const double below = at();
      value = before;
      const double difference = (above - below) / (2 * kStep);
      REQUIRE(gradient.data()[i] == Approx(difference).epsilon(1e-6).margin(1e-7));
    }
  }
}

TEST_CASE("gradients of placeto's networks are those of finite differences") {
  const Problem problem(fork_join(3), alike());
  const GroupGraph groups(problem);
  for (const PlacetoEmbedding embedding :
       {PlacetoEmbedding::kPlaceto, PlacetoEmbedding::kGraphsage, PlacetoEmbedding::kPgnn}) {
    for (const bool second : {false, true}) {
      INFO(name_of(embedding));
      EmbeddedGraph graph(groups, embedding);
      PlacetoNetwork network({.devices = 2,
                              .embedding = embedding,
                              .scorer = second ? PlacetoScorer::kShared : PlacetoScorer::kSeparate,
                              .rounds = 2,
                              .mean = second},
                             Rng(4));
      Rng rng(5);
      nn::Matrix features(10, 9);  // two copies of five nodes
      for (double& value : features.reshaped()) value = rng.uniform() - 0.3;
      nn::Matrix views(4, DeviceViews::kFeatures);  // two devices of each
      for (double& value : views.reshaped()) value = rng.uniform() - 0.3;
      const std::vector<std::uint32_t> currents = {1, 4};
      check_gradients(network.parameters(), [&](nn::Tape& tape) {
        return network.logits(tape, graph, tape.constant(features), views, currents);
      });
    }
  }
}

TEST_CASE("gradients of GDP's network are those of finite differences, but for cached segments") {
  const Problem problem(fork_join(3), alike());
  const OpTypes types(std::span(&problem, 1));
  GdpGraph graph(problem, types);
  graph.barred.setZero();
  // One segment: all gradients flow. (Through several, those of cached states are stopped.)
  GdpNetwork network({.devices = 2, .width = 8, .heads = 2, .segment = 8}, types, Rng(6));
  check_gradients(network.parameters(),
                  [&](nn::Tape& tape) { return network.logits(tape, graph); });
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
  for (const std::string& name : learners()) {
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

TEST_CASE("placeto begins on the fastest device that holds all parameters") {
  // 20 bytes of parameters: gpu:0 is faster and holds 15.
  std::vector<Op> ops = {timed_apart("a", 1, 2), timed_apart("b", 1, 2)};
  for (Op& op : ops) op.params_bytes = 10;
  std::vector<Device> devices = alike({.memory_bytes = 15}).devices();
  const auto begins_on = [&] {
    return fastest_alone(Problem(graph_of(ops, {}), Topology(devices, {{"*", "*", 1}})));
  };
  devices[1].memory_bytes = 20;
  CHECK(begins_on() == on_devices({1, 1}));
  devices[0].memory_bytes = 20;
  CHECK(begins_on() == on_devices({0, 0}));
}

TEST_CASE("placeto credits every op with the end where rewards come at the end only") {
  // Of four ops of 1 s or 2 s all on the fast device take 4 s, three of them 3 s.
  SearchRequest request = request_for("placeto", 800);
  request.options = {{"reward", std::string("terminal")}};
  CHECK(run_search(fast_and_slow(4), request).recent_mean_seconds <= 3.2);
}

}  // namespace
}  // namespace placer::testing
