// Claims of Placeto: its episodes, baselines, networks and defaults.
#include <algorithm>
#include <catch2/catch.hpp>

#include "nn/gradients.hpp"
#include "placer/search/training.hpp"
#include "search/core/plain_placements.hpp"
#include "search/learned/best_start.hpp"
#include "search/learned/placeto_episodes.hpp"
#include "support/problems.hpp"
#include "support/scheduling_data.hpp"
#include "support/searches.hpp"

namespace placer::testing {
namespace {

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
      stir(network.parameters());
      CHECK(gradient_error(network.parameters(), [&](nn::Tape& tape) {
              return network.logits(tape, graph, tape.constant(features), views, currents);
            }) < 1e-6);
    }
  }
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
