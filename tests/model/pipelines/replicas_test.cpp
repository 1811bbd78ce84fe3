#include <catch2/catch.hpp>

#include "placer/base/errors.hpp"
#include "placer/base/rng.hpp"
#include "placer/model/microbatches.hpp"
#include "placer/sim/simulator.hpp"
#include "support/problems.hpp"

namespace placer::testing {
namespace {

using Names = std::vector<std::string>;

Op backward_op(const std::string& name, double seconds, const std::string& type = "") {
  Op op = timed_op(name, seconds);
  op.backward = true;
  if (!type.empty()) op.type = type;
  return op;
}

Replicas shared_by(std::size_t device, std::vector<DeviceId> others) {
  Replicas replicas(device + 1);
  replicas[device] = std::move(others);
  return replicas;
}

Schedule run(const MicroBatchPipeline& pipeline) {
  Schedule schedule;
  Simulator(pipeline.problem, Order::kGiven)
      .evaluate(pipeline.placement, &pipeline.sequences, &schedule);
  return schedule;
}

Names names(const MicroBatchPipeline& pipeline, std::size_t device) {
  Names found;
  for (const OpId op : pipeline.sequences[device]) {
    found.push_back(pipeline.problem.graph().op(op).name);
  }
  return found;
}

/// f0 of 1 s, then f1 of 2 s.
Graph slow_second() {
  return graph_of({timed_op("f0", 1), timed_op("f1", 2)}, {tensor(0, {1}, 0)});
}

/// f (1 s, 5 bytes of parameters) -> b (2 s) -7-> f_update (3 s, 20 bytes).
Graph one_update() {
  std::vector<Op> ops = {timed_op("f", 1), backward_op("b", 2), backward_op("f_update", 3)};
  ops[0].params_bytes = 5;
  ops[2].params_bytes = 20;
  return graph_of(std::move(ops), {tensor(0, {1}, 0), tensor(1, {2}, 7)});
}

std::string error_of(const Graph& graph, const Placement& placement, const MicroBatches& batches,
                     const Machine& machine = {}) {
  try {
    pipelined(Problem(graph, alike(machine)), placement, batches);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("A second device for a stage that is twice as long: 4 micro-batches in 6 s, not 9 s") {
  const Problem problem(slow_second(), alike({.devices = 3}));
  const Placement apart = on_devices({0, 1});
  CHECK(to_seconds(run(pipelined(problem, apart, {.count = 4})).score.step_ps) == 9);
  const MicroBatchPipeline pipeline =
      pipelined(problem, apart, {.count = 4, .replicas = shared_by(1, {DeviceId(2)})});
  // The second stage: 1-3 and 3-5 on gpu:1, 2-4 and 4-6 on gpu:2.
  CHECK(to_seconds(run(pipeline).score.step_ps) == 6);
  CHECK(names(pipeline, 1) == Names{"m0/f1", "m2/f1"});
  CHECK(names(pipeline, 2) == Names{"m1/f1", "m3/f1"});
  CHECK(pipeline.stages[1].replicas == std::vector{DeviceId(2)});
}

TEST_CASE("Replicas hold the parameters each, sum gradients in a ring and update each") {
  const MicroBatchPipeline pipeline = pipelined(
      Problem(one_update(), alike()), on_devices({0, 0, 0}),
      {.count = 4, .schedule = PipelineSchedule::k1F1B, .replicas = shared_by(0, {DeviceId(1)})});
  CHECK(names(pipeline, 1) == Names{"m1/f", "m1/b", "m3/f", "m3/b", "reduce/gpu:1", "r1/f_update"});
  // Two micro-batches of 3 s, 2 (2 - 1) messages of 7/2 bytes at 1 byte/s, the update of 3 s.
  const Schedule schedule = run(pipeline);
  CHECK(to_seconds(schedule.score.step_ps) == 6 + 7 + 3);
  CHECK(schedule.peak_bytes == std::vector<std::int64_t>{25 + 14, 25 + 14});
  CHECK(to_seconds(pipeline.stages[0].reduce_ps) == 7);
}

TEST_CASE("The ring begins when the last replica is there") {
  const MicroBatchPipeline pipeline = pipelined(
      Problem(one_update(), alike()), on_devices({0, 0, 0}),
      {.count = 3, .schedule = PipelineSchedule::k1F1B, .replicas = shared_by(0, {DeviceId(1)})});
  CHECK(to_seconds(run(pipeline).score.step_ps) == 6 + 7 + 3);  // gpu:1 waits from 3 to 6
}

TEST_CASE("Without updates in the graph replicas sum as many bytes as there are parameters") {
  std::vector<Op> ops = {timed_op("f", 1), backward_op("b", 2)};
  ops[0].params_bytes = 8;
  const MicroBatchPipeline pipeline = pipelined(
      Problem(graph_of(ops, {tensor(0, {1}, 0)}), alike({.latency_seconds = 0.5})),
      on_devices({0, 0}),
      {.count = 2, .schedule = PipelineSchedule::k1F1B, .replicas = shared_by(0, {DeviceId(1)})});
  CHECK(to_seconds(run(pipeline).score.step_ps) == 3 + 2 * (0.5 + 4));
}

TEST_CASE("A ring of four sends a quarter of the bytes six times") {
  const Topology topology = alike({.devices = 4, .bytes_per_second = 2});
  const std::vector<DeviceId> ring = {DeviceId(0), DeviceId(1), DeviceId(2), DeviceId(3)};
  CHECK(ring_seconds(topology, ring, 16) == 12);  // 6 messages of 4 bytes
  CHECK(ring_seconds(topology, std::span(ring).first(1), 16) == 0);
  CHECK(ring_seconds(topology, ring, 0) == 0);
}

TEST_CASE("A ring's messages have the bandwidth of their own size") {
  const Topology topology(alike({.devices = 4}).devices(),
                          {{"*", "*", 8, 0, {}, {{4, 1}, {16, 4}}}});
  const std::vector<DeviceId> ring = {DeviceId(0), DeviceId(1), DeviceId(2), DeviceId(3)};
  CHECK(ring_seconds(topology, ring, 16) == 24);  // 6 messages of 4 bytes, 4 s each
  CHECK(ring_seconds(topology, ring, 64) == 24);  // of 16 bytes, no slower
}

TEST_CASE("A stage of two devices warms up by one forward pass more") {
  const Graph graph =
      graph_of({timed_op("f0", 1), timed_op("f1", 1), backward_op("b1", 2), backward_op("b0", 2)},
               {tensor(0, {1}, 0), tensor(1, {2}, 0), tensor(2, {3}, 0)});
  const MicroBatchPipeline pipeline = pipelined(
      Problem(graph, alike({.devices = 3})), on_devices({0, 1, 1, 0}),
      {.count = 4, .schedule = PipelineSchedule::k1F1B, .replicas = shared_by(0, {DeviceId(2)})});
  CHECK(names(pipeline, 0) == Names{"m0/f0", "m2/f0", "m0/b0", "m2/b0"});
  CHECK(names(pipeline, 2) == Names{"m1/f0", "m3/f0", "m1/b0", "m3/b0"});
}

TEST_CASE("Stages with replicas never wait for each other in a circle") {
  Rng rng(7);
  for (int trial = 0; trial < 60; ++trial) {
    const std::size_t stages = 1 + rng.below(4);
    std::vector<Op> ops;
    std::vector<Tensor> tensors;
    std::vector<std::size_t> devices;
    for (std::size_t i = 0; i < stages; ++i) ops.push_back(timed_op("f" + std::to_string(i), 1));
    for (std::size_t i = 0; i < stages; ++i) {
      ops.push_back(backward_op("b" + std::to_string(i), 2));
      if (i + 1 < stages) tensors.push_back(tensor(i, {i + 1}, 1));
      if (i > 0) tensors.push_back(tensor(stages + i, {stages + i - 1}, 1));
      tensors.push_back(tensor(i, {stages + i}, 1));
    }
    for (std::size_t op = 0; op < ops.size(); ++op) devices.push_back(op % stages);
    for (Op& op : ops) op.params_bytes = 3;
    MicroBatches batches = {.count = static_cast<std::int64_t>(4 + rng.below(5)),
                            .schedule = PipelineSchedule::k1F1B};
    std::size_t used = stages;
    for (std::size_t i = 0; i < stages; ++i) {
      std::vector<DeviceId>& row = batches.replicas.emplace_back();
      for (std::size_t more = rng.below(3); more > 0; --more) row.emplace_back(used++);
    }
    const MicroBatchPipeline pipeline = pipelined(
        Problem(graph_of(ops, tensors), alike({.devices = used})), on_devices(devices), batches);
    CHECK(deadlock_of(pipeline.problem, pipeline.sequences).empty());
    std::size_t taken = 0;
    for (const std::vector<OpId>& sequence : pipeline.sequences) taken += sequence.size();
    CHECK(taken == pipeline.problem.op_count());
  }
}

TEST_CASE("Replicas that have something else to do, or nothing, are refused in one line") {
  const Placement apart = on_devices({0, 1});
  CHECK(error_of(slow_second(), apart, {.count = 4, .replicas = shared_by(0, {DeviceId(1)})}) ==
        "replicas: expected devices that have nothing else to do, found gpu:1");
  CHECK(error_of(slow_second(), apart, {.count = 1, .replicas = shared_by(0, {DeviceId(2)})},
                 {.devices = 3}) ==
        "micro-batches: expected one for each of the 2 devices that share the stage of gpu:0, "
        "found 1");
  CHECK(error_of(graph_of({on(timed_op("f0", 1), {"gpu:0"})}, {}), on_devices({0}),
                 {.count = 2, .replicas = shared_by(0, {DeviceId(1)})}) ==
        "replicas: expected devices that may have all ops of gpu:0, found gpu:1, which may not "
        "have 'f0'");
  CHECK(error_of(slow_second(), on_devices({0, 0}),
                 {.count = 4, .replicas = shared_by(1, {DeviceId(2)})}, {.devices = 3}) ==
        "replicas: expected those of a device with ops, found gpu:1, which has none");
}

TEST_CASE("Parameters that an op without inputs hands on are as large for three micro-batches") {
  std::vector<Op> ops = {timed_op("weight", 0), timed_op("f", 1)};
  ops[0].params_bytes = 12;
  CHECK(enlarged(graph_of(ops, {tensor(0, {1}, 12)}), 3).tensors()[0].bytes == 12);
}

TEST_CASE("Three micro-batches in one: three times the flops and tensors, the same parameters") {
  std::vector<Op> ops = {timed_op("f", 1), backward_op("b", 2), backward_op("f_update", 3)};
  ops[0].flops = 10;
  ops[0].bytes = 30;
  ops[0].params_bytes = 12;
  ops[0].temp_bytes = 4;
  const Graph graph = enlarged(graph_of(ops, {tensor(0, {1}, 5), tensor(1, {2}, 7)}), 3);
  CHECK(graph.ops()[0].flops == 30);
  CHECK(graph.ops()[0].bytes == 3 * 18 + 12);
  CHECK(graph.ops()[0].temp_bytes == 12);
  CHECK(graph.ops()[0].params_bytes == 12);
  CHECK(graph.ops()[0].seconds[0].second == 3);
  CHECK(graph.ops()[2].seconds[0].second == 3);  // the update runs once, as it did
  CHECK(graph.tensors()[0].bytes == 15);
  CHECK(graph.tensors()[1].bytes == 7);  // a gradient is as large as its weights
}

}  // namespace
}  // namespace placer::testing
