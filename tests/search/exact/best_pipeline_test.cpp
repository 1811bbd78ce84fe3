#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>

#include "placer/base/errors.hpp"
#include "placer/base/rng.hpp"
#include "placer/search/pipelines.hpp"
#include "placer/sim/simulator.hpp"
#include "search/exact/replicated_dp.hpp"
#include "support/events.hpp"
#include "support/problems.hpp"

namespace placer::testing {
namespace {

double seconds(const ChosenPipeline& chosen) { return to_seconds(chosen.score.step_ps); }

/// f0 of 1 s, then f1 of 2 s, 6 bytes of parameters each, on three devices of 10 bytes.
Problem slow_second() {
  std::vector<Op> ops = {timed_op("f0", 1), timed_op("f1", 2)};
  for (Op& op : ops) op.params_bytes = 6;
  return Problem(graph_of(std::move(ops), {tensor(0, {1}, 0)}),
                 alike({.devices = 3, .memory_bytes = 10}));
}

TEST_CASE("The stage that is twice as long gets two devices: 4 micro-batches in 6 s") {
  const auto chosen = best_pipeline(slow_second(), {.graphs = 4});
  REQUIRE(chosen);
  CHECK(seconds(*chosen) == 6);
  CHECK(chosen->placement == on_devices({0, 1}));
  CHECK(chosen->batches.replicas[1] == std::vector{DeviceId(2)});
  CHECK(chosen->batches.merged == 1);
  CHECK(to_seconds(chosen->bottleneck_ps) == 4);
}

TEST_CASE("Without replicas the stage that is twice as long makes it 9 s") {
  const auto chosen = best_pipeline(slow_second(), {.graphs = 4, .most_replicas = 1});
  REQUIRE(chosen);
  CHECK(seconds(*chosen) == 9);
  CHECK_FALSE(chosen->batches.has_replicas());
}

TEST_CASE("Where one device holds everything, all of them do so and none waits") {
  std::vector<Op> ops = {timed_op("f0", 1), timed_op("f1", 2)};
  const Problem problem(graph_of(std::move(ops), {tensor(0, {1}, 0)}), alike({.devices = 3}));
  const auto chosen = best_pipeline(problem, {.graphs = 6});
  REQUIRE(chosen);
  CHECK(seconds(*chosen) == 6);  // two micro-batches of 3 s on each
  CHECK(chosen->placement == on_devices({0, 0}));
}

/// An op that reads 8 bytes of parameters and 2 of each micro-batch, at 1 byte/s, and needs 5 bytes
/// for each while it runs.
Problem heavy_parameters(std::int64_t memory_bytes) {
  Op op;
  op.name = "f";
  op.flops = 0;
  op.bytes = 10;
  op.params_bytes = 8;
  op.temp_bytes = 5;
  Device device;
  device.name = "gpu:0";
  device.type = "gpu";
  device.memory_bytes = memory_bytes;
  device.flops_per_second.of_others = 1;
  device.bytes_per_second = 1;
  return Problem(graph_of({op}, {}), Topology({device}, {}));
}

TEST_CASE("Parameters are read once for four micro-batches in one: 16 s, not 40 s") {
  const auto chosen = best_pipeline(heavy_parameters(100), {.graphs = 4});
  REQUIRE(chosen);
  CHECK(seconds(*chosen) == 16);
  CHECK(chosen->batches.merged == 4);
  CHECK(chosen->batches.count == 1);
}

TEST_CASE("Memory for two micro-batches in one: 24 s") {
  const auto chosen = best_pipeline(heavy_parameters(18), {.graphs = 4});
  REQUIRE(chosen);
  CHECK(chosen->score.fits());
  CHECK(seconds(*chosen) == 24);
  CHECK(chosen->batches.merged == 2);
}

TEST_CASE("Stages that hold the activations of one micro-batch alone give way to those that fit") {
  // f0's 4 bytes wait for b0. Alone on a device, 1f1b holds one micro-batch; in front of a second
  // stage, two.
  std::vector<Op> ops = {timed_op("f0", 1), timed_op("f1", 1), timed_op("b1", 1),
                         timed_op("b0", 1)};
  for (std::size_t i = 0; i < 4; ++i) ops[i].backward = i > 1;
  const Graph graph =
      graph_of(ops, {tensor(0, {1}, 0), tensor(0, {3}, 4), tensor(1, {2}, 0), tensor(2, {3}, 0)});
  const PipelineRequest request = {
      .graphs = 2, .schedule = PipelineSchedule::k1F1B, .most_replicas = 1};
  const auto roomy = best_pipeline(Problem(graph, alike({.memory_bytes = 8})), request);
  REQUIRE(roomy);
  CHECK(seconds(*roomy) == 6);  // two stages: 2 x 2 s of work and 2 s of bubble
  const auto tight = best_pipeline(Problem(graph, alike({.memory_bytes = 7})), request);
  REQUIRE(tight);
  CHECK(tight->score.fits());
  CHECK(seconds(*tight) == 8);  // one stage
}

/// A chain of layers, each a forward and a backward op of one group, on two devices of one kind and
/// two of another.
struct Chain {
  std::vector<std::int64_t> slow, fast, params, sent;  // seconds of both passes, bytes
  Problem problem() const;
};

Problem Chain::problem() const {
  std::vector<Op> ops;
  std::vector<Tensor> tensors;
  const std::size_t length = slow.size();
  for (std::size_t i = 0; i < length; ++i) {
    for (const bool is_backward : {false, true}) {
      Op& op = ops.emplace_back();
      op.name = (is_backward ? "b" : "f") + std::to_string(i);
      op.group = "layer" + std::to_string(i);
      op.backward = is_backward;
      op.seconds = {{"slow", static_cast<double>(slow[i]) / 2},
                    {"fast", static_cast<double>(fast[i]) / 2}};
      if (!is_backward) op.params_bytes = params[i];
    }
  }
  tensors.push_back(tensor(2 * length - 2, {2 * length - 1}, 0));
  for (std::size_t i = 0; i + 1 < length; ++i) {
    tensors.push_back(tensor(2 * i, {2 * i + 2}, sent[i]));
    tensors.push_back(tensor(2 * i + 3, {2 * i + 1}, sent[i]));
  }
  std::vector<Device> devices(4);
  for (std::size_t d = 0; d < devices.size(); ++d) {
    devices[d].name = "d" + std::to_string(d);
    devices[d].type = d < 2 ? "slow" : "fast";
    devices[d].memory_bytes = 1'000;
  }
  return Problem(graph_of(std::move(ops), std::move(tensors)),
                 Topology(std::move(devices), {{"*", "*", 1, 0, {}}}));
}

/// The least time of the busiest device for the layers from `first` on, by trying everything.
double least_bottleneck(const Chain& chain, std::size_t first, std::int64_t count,
                        std::size_t slow_left, std::size_t fast_left) {
  const std::size_t length = chain.slow.size();
  if (first == length) return 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t end = first + 1; end <= length; ++end) {
    for (const bool is_fast : {false, true}) {
      const std::size_t left = is_fast ? fast_left : slow_left;
      for (std::size_t team = 1; team <= std::min<std::size_t>(left, count); ++team) {
        std::int64_t work = 0, params = 0;
        for (std::size_t i = first; i < end; ++i) {
          work += (is_fast ? chain.fast : chain.slow)[i];
          params += chain.params[i];
        }
        const std::int64_t before = first > 0 ? chain.sent[first - 1] : 0;
        const std::int64_t behind = end < length ? chain.sent[end - 1] : 0;
        const auto size = static_cast<std::int64_t>(team);
        const auto share = static_cast<double>((count + size - 1) / size);
        const double ring =
            2 * static_cast<double>((size - 1) * params) / static_cast<double>(size);
        const double load = share * static_cast<double>(std::max(work, before + behind)) + ring;
        const double rest = least_bottleneck(chain, end, count, slow_left - (is_fast ? 0 : team),
                                             fast_left - (is_fast ? team : 0));
        least = std::min(least, std::max(load, rest));
      }
    }
  }
  return least;
}

TEST_CASE("Trying all stages and replicas of small chains finds nothing better, on mixed devices") {
  Rng rng(11);
  for (int trial = 0; trial < 60; ++trial) {
    Chain chain;
    const std::size_t length = 1 + rng.below(4);
    for (std::size_t i = 0; i < length; ++i) {
      chain.slow.push_back(static_cast<std::int64_t>(2 + rng.below(9)));
      chain.fast.push_back(static_cast<std::int64_t>(1 + rng.below(5)));
      chain.params.push_back(static_cast<std::int64_t>(rng.below(6) * 2));
      chain.sent.push_back(static_cast<std::int64_t>(rng.below(4)));
    }
    const Problem problem = chain.problem();
    const std::vector<PipelineUnit> units = pipeline_units(problem);
    const auto count = static_cast<std::int64_t>(1 + rng.below(6));
    const ReplicatedStep step = {.micro_batches = count, .most_replicas = 4};
    const auto found = replicated_pipelines(problem, units, prefixes(units), step);
    REQUIRE(!found.empty());
    double least = std::numeric_limits<double>::infinity();
    for (const ReplicatedPipeline& each : found) {
      least = std::min(least, to_seconds(each.bottleneck_ps));
    }
    CHECK(least == Approx(least_bottleneck(chain, 0, count, 2, 2)).epsilon(1e-9));
  }
}

TEST_CASE("Devices that differ in memory, or a little in speed, share a stage") {
  const auto step_seconds = [](double second_takes, std::int64_t second_bytes) {
    Op op = timed_op("f", 3);
    op.seconds = {{"a", 3}, {"b", second_takes}};
    std::vector<Device> devices(2);
    devices[0].name = devices[0].type = "a";
    devices[1].name = devices[1].type = "b";
    devices[0].memory_bytes = 1000;
    devices[1].memory_bytes = second_bytes;
    const Problem problem(graph_of({op}, {}), Topology(devices, alike().links()));
    const auto found = best_pipeline(problem, {.graphs = 4, .most_merged = 1});
    REQUIRE(found);
    CHECK(found->score.fits());
    CHECK(found->bottleneck_ps == found->score.step_ps);
    return to_seconds(found->score.step_ps);
  };
  CHECK(step_seconds(3, 1000) == 6);
  CHECK(step_seconds(3, 2000) == 6);
  CHECK(step_seconds(4, 1000) == 8);
  CHECK(step_seconds(9, 1000) == 12);  // alone on the fast one
}

TEST_CASE("A group before and behind most of the model is told, as no stage can be cut there") {
  std::vector<Op> ops;
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < 5; ++i) {
    ops.push_back(timed_op("f" + std::to_string(i), 1));
    if (i > 0) tensors.push_back(tensor(i - 1, {i}, 1));
  }
  Events events;
  const Observer observer = events.from(EventLevel::kWarn);
  best_pipeline(Problem(graph_of(ops, tensors), alike()), {.graphs = 2}, observer);
  CHECK(events.all.empty());
  ops[0].group = ops[3].group = "tied";
  best_pipeline(Problem(graph_of(ops, tensors), alike()), {.graphs = 2}, observer);
  REQUIRE(events.all.size() == 1);
  CHECK(events.all[0].message ==
        "no stage can be cut inside 3 of 4 groups, as 'f0' and 'f3' always share a device");
}

TEST_CASE("What no search for pipelines can do is refused in one line") {
  CHECK_THROWS_WITH(best_pipeline(slow_second(), {.graphs = 0}),
                    "micro-batches: expected at least 1, found 0");
  CHECK_THROWS_WITH(
      best_pipeline(slow_second(), {.schedule = PipelineSchedule::kInterleaved}),
      "schedule: expected gpipe, 1f1b or zero-bubble for a search, found interleaved");
  CHECK_THROWS_WITH(
      best_pipeline(slow_second(), {.graphs = 2, .schedule = PipelineSchedule::k1F1B}),
      "schedule: expected gpipe for a graph without backward ops, found 1f1b, which needs them");
}

TEST_CASE("Stages that cannot hold their parameters are none") {
  const Problem problem(graph_of({[] {
                                   Op op = timed_op("f", 1);
                                   op.params_bytes = 11;
                                   return op;
                                 }()},
                                 {}),
                        alike({.memory_bytes = 10}));
  CHECK_FALSE(best_pipeline(problem, {.graphs = 2}));
}

}  // namespace
}  // namespace placer::testing
