#include <algorithm>
#include <array>
#include <catch2/catch.hpp>

#include "placer/base/rng.hpp"
#include "placer/search/pipelines.hpp"
#include "placer/sim/simulator.hpp"
#include "support/problems.hpp"
#include "support/sanitizers.hpp"

namespace placer::testing {
namespace {

struct Layers {
  std::vector<Op> ops;
  std::vector<Tensor> tensors;
  Problem on(const Machine& machine) const {
    return Problem(graph_of(ops, tensors), alike(machine));
  }
};

/// f0 -> f1 -> ... -> b1 -> b0 of 1 s each, over tensors of 1 byte.
Layers chain_of_layers(std::size_t length) {
  Layers layers;
  for (std::size_t i = 0; i < 2 * length; ++i) {
    const std::size_t layer = i < length ? i : 2 * length - 1 - i;
    layers.ops.push_back(timed_op((i < length ? "f" : "b") + std::to_string(layer), 1));
    layers.ops.back().backward = i >= length;
    if (i > 0) layers.tensors.push_back(tensor(i - 1, {i}, 1));
  }
  return layers;
}

/// Both ops of a layer stay together.
void group_by_layer(Layers& layers) {
  for (Op& op : layers.ops) op.group = "layer" + op.name.substr(1);
}

TEST_CASE("Under 1f1b the first stage gets fewer layers where memory is tight") {
  // Four layers, of which 4 bytes each wait: the first of two stages holds two micro-batches.
  Layers layers = chain_of_layers(4);
  for (Tensor& each : layers.tensors) each.bytes = 0;
  for (std::size_t i = 0; i < 4; ++i) layers.tensors.push_back(tensor(i, {7 - i}, 4));
  const PipelineRequest request = {
      .graphs = 4, .schedule = PipelineSchedule::k1F1B, .most_replicas = 1};
  const auto steps = [&](std::int64_t memory_bytes) {
    const auto chosen = best_pipeline(layers.on({.memory_bytes = memory_bytes}), request);
    REQUIRE(chosen);
    CHECK(chosen->score.fits());
    return std::ranges::count(chosen->placement.devices, chosen->placement.devices[0]);
  };
  CHECK(steps(16) == 4);  // f0, f1, b1, b0
  CHECK(steps(15) < 4);
}

TEST_CASE("Stages that zero-bubble cannot run are no reason not to look at others") {
  Layers layers = chain_of_layers(3);
  for (const std::size_t layer : {0, 1}) {  // the third has no gradients of weights apart
    layers.ops.push_back(timed_op("w" + std::to_string(layer), 1));
    layers.ops.back().backward = true;
    layers.tensors.push_back(tensor(5 - layer, {layers.ops.size() - 1}, 1));
  }
  group_by_layer(layers);
  const PipelineRequest request = {.graphs = 4, .schedule = PipelineSchedule::kZeroBubble};
  const auto chosen = best_pipeline(layers.on({}), request);
  REQUIRE(chosen);
  CHECK(chosen->score.fits());
}

TEST_CASE("Stages that fit only as simulated, not by the sums of the tables, are found") {
  std::vector<Op> ops = {timed_op("f0", 5), timed_op("f1", 5), timed_op("f2", 1),
                         timed_op("f3", 2)};
  const std::array params_bytes = {18, 5, 17, 6};
  for (std::size_t i = 0; i < ops.size(); ++i) ops[i].params_bytes = params_bytes[i];
  const Problem problem(graph_of(ops, {tensor(0, {1}, 2), tensor(1, {2}, 3), tensor(2, {3}, 2)}),
                        alike({.memory_bytes = 28}));
  const auto chosen = best_pipeline(problem, {.graphs = 7});
  REQUIRE(chosen);
  CHECK(chosen->score.fits());
  const Problem smaller(problem.graph(), alike({.memory_bytes = 17}));
  CHECK_FALSE(best_pipeline(smaller, {.graphs = 7}));
}

/// The best score of a chain of layers cut once, of `count` micro-batches on two alike devices.
Score best_cut(const Problem& problem, std::size_t length, const MicroBatches& batches) {
  std::optional<Score> best;
  for (std::size_t first = 1; first <= length; ++first) {
    Placement placement;
    for (std::size_t i = 0; i < length; ++i) {
      placement.devices.emplace_back(i < first ? std::size_t{0} : std::size_t{1});
    }
    const MicroBatchPipeline pipeline = pipelined(problem, placement, batches);
    const Score score = Simulator(pipeline.problem, Order::kGiven)
                            .evaluate(pipeline.placement, &pipeline.sequences);
    if (!best || score < *best) best = score;
  }
  return *best;
}

TEST_CASE("Where memory is tight, no single cut of a chain is better than what is found") {
  Rng rng(3);
  for (int trial = 0; trial < (kSanitized ? 25 : 150); ++trial) {
    const std::size_t length = 2 + rng.below(5);
    Layers layers = chain_of_layers(length);
    group_by_layer(layers);
    for (Op& op : layers.ops) op.seconds.front().second = static_cast<double>(1 + rng.below(5));
    for (std::size_t i = 0; i < length; ++i) {
      layers.ops[i].params_bytes = static_cast<std::int64_t>(rng.below(20));
      const auto waiting = static_cast<std::int64_t>(rng.below(20));
      layers.tensors.push_back(tensor(i, {2 * length - 1 - i}, waiting));
    }
    const auto bytes = static_cast<std::int64_t>(10 * length + rng.below(30 * length));
    const Problem problem = layers.on({.memory_bytes = bytes});
    const MicroBatches batches = {.count = static_cast<std::int64_t>(1 + rng.below(4)),
                                  .schedule = PipelineSchedule::k1F1B};
    const Score least = best_cut(problem, length, batches);
    const auto chosen = best_pipeline(
        problem, {.graphs = batches.count, .schedule = batches.schedule, .most_merged = 1});
    INFO(trial);
    if (!least.fits()) continue;
    REQUIRE(chosen);
    CHECK(chosen->score.fits());
    CHECK(chosen->score.step_ps <= least.step_ps);
  }
}

}  // namespace
}  // namespace placer::testing
