#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>

#include "model/pipelines/stage_tasks.hpp"
#include "placer/base/errors.hpp"
#include "placer/base/rng.hpp"
#include "placer/model/microbatches.hpp"
#include "placer/sim/simulator.hpp"
#include "support/problems.hpp"

namespace placer::testing {
namespace {

using Names = std::vector<std::string>;

/// Seconds of a stage's pass of one micro-batch.
struct Passes {
  double forward = 1, backward = 1, weights = 0;  // none: the backward op does all
};

Op backward_op(const std::string& name, double seconds) {
  Op op = timed_op(name, seconds);
  op.backward = true;
  return op;
}

/// f0 -> f1 -> ... -> b1 -> b0, each forward op's 10 bytes held for its backward op, or where there
/// are passes for weights, for the op w0, w1, ... that follows the backward op.
Graph passes(std::size_t length, const Passes& each) {
  std::vector<Op> ops;
  std::vector<Tensor> tensors;
  const bool is_split = each.weights > 0;
  for (std::size_t i = 0; i < length; ++i)
    ops.push_back(timed_op(fmt::format("f{}", i), each.forward));
  for (std::size_t i = 0; i < length; ++i) {
    ops.push_back(backward_op(fmt::format("b{}", i), each.backward));
    if (i + 1 < length) tensors.push_back(tensor(i, {i + 1}, 0));
    if (i > 0) tensors.push_back(tensor(length + i, {length + i - 1}, 0));
    tensors.push_back(tensor(i, {(is_split ? 2 * length : length) + i}, 10));
  }
  tensors.push_back(tensor(length - 1, {2 * length - 1}, 0));
  for (std::size_t i = 0; is_split && i < length; ++i) {
    ops.push_back(backward_op(fmt::format("w{}", i), each.weights));
    tensors.push_back(tensor(length + i, {2 * length + i}, 0));
  }
  return graph_of(std::move(ops), std::move(tensors));
}

/// Each pass i on device i mod `devices`.
Placement dealt(const Graph& graph, std::size_t length, std::size_t devices) {
  std::vector<std::size_t> found;
  for (std::size_t op = 0; op < graph.ops().size(); ++op) found.push_back(op % length % devices);
  return on_devices(found);
}

MicroBatchPipeline pipeline_of(std::size_t length, std::size_t devices, const Passes& each,
                               const MicroBatches& batches) {
  const Graph graph = passes(length, each);
  return pipelined(Problem(graph, alike({.devices = devices})), dealt(graph, length, devices),
                   batches);
}

Schedule run(const MicroBatchPipeline& pipeline) {
  Schedule schedule;
  Simulator(pipeline.problem, Order::kGiven)
      .evaluate(pipeline.placement, &pipeline.sequences, &schedule);
  return schedule;
}

double seconds(const MicroBatchPipeline& pipeline) {
  return to_seconds(run(pipeline).score.step_ps);
}

Names names(const MicroBatchPipeline& pipeline, std::size_t device) {
  Names found;
  for (const OpId op : pipeline.sequences[device]) {
    found.push_back(pipeline.problem.graph().op(op).name);
  }
  return found;
}

std::string error_of(std::size_t length, std::size_t devices, const Passes& each,
                     const MicroBatches& batches) {
  try {
    pipeline_of(length, devices, each, batches);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

constexpr MicroBatches interleaved(std::int64_t count) {
  return {.count = count, .schedule = PipelineSchedule::kInterleaved};
}
constexpr MicroBatches zero_bubble(std::int64_t count) {
  return {.count = count, .schedule = PipelineSchedule::kZeroBubble};
}
constexpr MicroBatches one_by_one(std::int64_t count) {
  return {.count = count, .schedule = PipelineSchedule::k1F1B};
}

TEST_CASE("Under gpipe and 1f1b the bubble is (p - 1) / m of the work") {
  for (const PipelineSchedule schedule : {PipelineSchedule::kGpipe, PipelineSchedule::k1F1B}) {
    for (std::size_t p = 1; p <= 4; ++p) {
      for (const std::int64_t m : {4, 7}) {
        const double work = static_cast<double>(m) * 5;
        CHECK(seconds(pipeline_of(p, p, {2, 3}, {.count = m, .schedule = schedule})) ==
              work + work * static_cast<double>(p - 1) / static_cast<double>(m));
      }
    }
  }
}

TEST_CASE(
    "Two chunks on each of two devices halve the bubble of two micro-batches: 15 s, not 18 s") {
  // The work of a device is 2 x 2 x (1 + 2) s; the bubble (p - 1) / (v m) = 1/4 of it, else 1/2.
  CHECK(seconds(pipeline_of(4, 2, {1, 2}, interleaved(2))) == 15);
  CHECK(seconds(pipeline_of(2, 2, {2, 4}, one_by_one(2))) == 18);
}

TEST_CASE("Interleaved micro-batches go through a chunk in rounds, the last chunk back first") {
  const MicroBatchPipeline pipeline = pipeline_of(4, 2, {1, 2}, interleaved(2));
  CHECK(names(pipeline, 0) ==
        Names{"m0/f0", "m1/f0", "m0/f2", "m1/f2", "m0/b2", "m1/b2", "m0/b0", "m1/b0"});
  CHECK(names(pipeline, 1) ==
        Names{"m0/f1", "m1/f1", "m0/f3", "m0/b3", "m1/f3", "m1/b3", "m0/b1", "m1/b1"});
  REQUIRE(pipeline.stages.size() == 2);
  CHECK(pipeline.stages[0].chunks == 2);
  CHECK(to_seconds(pipeline.stages[0].forward_ps) == 2);
  // The first device holds both chunks of both, the second three of four.
  CHECK(run(pipeline).peak_bytes == std::vector<std::int64_t>{40, 30});
}

TEST_CASE("The interleaved bubble is (p - 1) / (v m) of the work") {
  for (std::size_t p = 2; p <= 4; ++p) {
    for (std::size_t v = 2; v <= 3; ++v) {
      for (std::size_t rounds = 1; rounds <= 3; ++rounds) {
        const double work = static_cast<double>(rounds * p * v) * 3;
        const double share = static_cast<double>(p - 1) / static_cast<double>(v * rounds * p);
        const auto count = static_cast<std::int64_t>(rounds * p);
        CHECK(seconds(pipeline_of(p * v, p, {1, 2}, interleaved(count))) ==
              Approx(work * (1 + share)).epsilon(1e-12));
      }
    }
  }
}

TEST_CASE(
    "Gradients of weights fill the bubble of two stages: 13 s, not 15 s, with 20 bytes on both") {
  const MicroBatchPipeline pipeline = pipeline_of(2, 2, {1, 1, 1}, zero_bubble(4));
  CHECK(seconds(pipeline) == 13);  // 4 x 3 + (2 - 1) x (1 + 1 - 1)
  CHECK(run(pipeline).peak_bytes == std::vector<std::int64_t>{20, 20});
  CHECK(seconds(pipeline_of(2, 2, {1, 2}, one_by_one(4))) == 15);
  CHECK(to_seconds(pipeline.stages[1].backward_ps) == 1);
  CHECK(to_seconds(pipeline.stages[1].weights_ps) == 1);
}

TEST_CASE("Stage s does the gradients of its weights s micro-batches behind") {
  const MicroBatchPipeline pipeline = pipeline_of(2, 2, {1, 1, 1}, zero_bubble(2));
  CHECK(names(pipeline, 0) == Names{"m0/f0", "m1/f0", "m0/b0", "m0/w0", "m1/b0", "m1/w0"});
  CHECK(names(pipeline, 1) == Names{"m0/f1", "m0/b1", "m1/f1", "m1/b1", "m0/w1", "m1/w1"});
}

TEST_CASE("The zero-bubble schedule waits (p - 1) (F + B - W), and 1f1b (p - 1) (F + B + W)") {
  for (std::size_t p = 2; p <= 4; ++p) {
    for (const Passes& each : {Passes{1, 1, 1}, Passes{2, 3, 2}, Passes{3, 4, 2}}) {
      for (const std::size_t m : {p, p + 1, 3 * p}) {
        const auto count = static_cast<std::int64_t>(m);
        const double work = static_cast<double>(m) * (each.forward + each.backward + each.weights);
        const auto waits = static_cast<double>(p - 1);
        CHECK(seconds(pipeline_of(p, p, each, zero_bubble(count))) ==
              work + waits * (each.forward + each.backward - each.weights));
        const Passes whole = {each.forward, each.backward + each.weights};
        CHECK(seconds(pipeline_of(p, p, whole, one_by_one(count))) ==
              work + waits * (each.forward + each.backward + each.weights));
      }
    }
  }
}

TEST_CASE("Many micro-batches come at the pace of a stage under each schedule") {
  const auto pace = [](std::size_t length, const Passes& each, const MicroBatches& few,
                       const MicroBatches& many) {
    return (seconds(pipeline_of(length, 2, each, many)) -
            seconds(pipeline_of(length, 2, each, few))) /
           static_cast<double>(many.count - few.count);
  };
  CHECK(pace(4, {1, 2}, interleaved(8), interleaved(16)) == 6);
  CHECK(pace(2, {1, 1, 1}, zero_bubble(8), zero_bubble(16)) == 3);
}

TEST_CASE("Fewer micro-batches than stages do their gradients of weights last") {
  const std::vector<StageTask> tasks =
      stage_tasks(PipelineSchedule::kZeroBubble, {.before = 3, .from_here = 1}, 2);
  CHECK(tasks == std::vector<StageTask>{{TaskPhase::kForward, 0, 0},
                                        {TaskPhase::kBackward, 0, 0},
                                        {TaskPhase::kForward, 0, 1},
                                        {TaskPhase::kBackward, 0, 1},
                                        {TaskPhase::kWeights, 0, 0},
                                        {TaskPhase::kWeights, 0, 1}});
}

TEST_CASE("No device holds activations of more micro-batches than most_in_flight says") {
  Rng rng(5);
  for (int trial = 0; trial < 300; ++trial) {
    const auto schedule =
        std::array{PipelineSchedule::kGpipe, PipelineSchedule::k1F1B}[rng.below(2)];
    const StagePlace place = {rng.below(4), 1 + rng.below(6)};
    const std::size_t count = 1 + rng.below(12), team = 1 + rng.below(place.from_here);
    std::vector<std::size_t> held(team, 0);
    std::size_t most = 0;
    for (const StageTask& task : stage_tasks(schedule, place, count)) {
      std::size_t& now = held[task.batch % team];
      now += task.phase == TaskPhase::kForward ? 1 : -1;
      most = std::max(most, now);
    }
    CHECK(most_in_flight(schedule, place, count, team) == most);
  }
}

TEST_CASE("Under zero-bubble a stage holds as many micro-batches as there are devices") {
  std::size_t held = 0, most = 0;
  for (const StageTask& task : stage_tasks(PipelineSchedule::kZeroBubble, {1, 3}, 8)) {
    if (task.phase == TaskPhase::kForward) most = std::max(most, ++held);
    if (task.phase == TaskPhase::kWeights) --held;
  }
  CHECK(most_in_flight(PipelineSchedule::kZeroBubble, {1, 3}, 8, 1) == most);
}

TEST_CASE("Schedules that the graph or the placement does not allow are refused in one line") {
  CHECK(error_of(2, 2, {1, 1}, interleaved(2)) ==
        "placement: expected devices that take turns for interleaved, each with several chunks of "
        "the model, found one chunk on each");
  CHECK(error_of(4, 2, {1, 1}, interleaved(3)) ==
        "micro-batches: expected a multiple of 2, the devices, for interleaved, found 3");
  // The backward op of the last stage is its gradient of weights; the first stage's does not count.
  const Graph chain_only = chain(2);
  for (const MicroBatches& batches : {interleaved(2), zero_bubble(2)}) {
    CHECK_THROWS_WITH(
        pipelined(Problem(chain_only, alike()), on_devices({0, 1}), batches),
        Catch::StartsWith("schedule: expected gpipe for a graph without backward ops, found " +
                          name_of(batches.schedule)));
  }
  CHECK(error_of(2, 2, {1, 1}, zero_bubble(2)) ==
        "schedule: expected gradients of weights in ops of their own for zero-bubble, found none "
        "behind the first stage");
}

}  // namespace
}  // namespace placer::testing
