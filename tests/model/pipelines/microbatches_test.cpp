#include "placer/model/microbatches.hpp"

#include <catch2/catch.hpp>

#include "placer/base/errors.hpp"
#include "placer/base/rng.hpp"
#include "placer/sim/simulator.hpp"
#include "support/problems.hpp"

namespace placer::testing {
namespace {

Op backward(Op op) {
  op.backward = true;
  return op;
}

///   f0 -act-> f1 -act-> b1 -grad-> b0     forward 1 s, backward 2 s; f0's output is kept for b0,
///   f0 ------------act------------> b0    f1's for b1: 10 bytes each; what crosses has no bytes
Graph two_stages() {
  return graph_of({timed_op("f0", 1), timed_op("f1", 1), backward(timed_op("b1", 2)),
                   backward(timed_op("b0", 2))},
                  {tensor(0, {1}, 0), tensor(0, {3}, 10), tensor(1, {2}, 10), tensor(2, {3}, 0)});
}
const Placement kTwoStages = on_devices({0, 1, 1, 0});

constexpr MicroBatches gpipe(std::int64_t count) { return {count, PipelineSchedule::kGpipe}; }
constexpr MicroBatches one_by_one(std::int64_t count) { return {count, PipelineSchedule::k1F1B}; }

Schedule run(const Graph& graph, const Machine& machine, const Placement& placement,
             const MicroBatches& batches) {
  const MicroBatchPipeline pipeline = pipelined(Problem(graph, alike(machine)), placement, batches);
  Schedule schedule;
  Simulator(pipeline.problem, Order::kGiven).evaluate(placement, &pipeline.sequences, &schedule);
  return schedule;
}

double seconds(const Graph& graph, const Machine& machine, const Placement& placement,
               const MicroBatches& batches) {
  return to_seconds(run(graph, machine, placement, batches).score.step_ps);
}

std::string error_of(const Graph& graph, const Placement& placement, const MicroBatches& batches) {
  try {
    pipelined(Problem(graph, alike()), placement, batches);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::vector<std::string> names(const MicroBatchPipeline& pipeline, std::size_t device) {
  std::vector<std::string> found;
  for (const OpId op : pipeline.sequences[device]) {
    found.push_back(pipeline.problem.graph().op(op).name);
  }
  return found;
}

using Names = std::vector<std::string>;

TEST_CASE("GPipe holds the activations of all micro-batches: 15 s, 40 bytes on both stages") {
  // Forward 0-4 and 1-5, backward 5-13 and 7-15.
  const Schedule schedule = run(two_stages(), {}, kTwoStages, gpipe(4));
  CHECK(to_seconds(schedule.score.step_ps) == 15);
  CHECK(schedule.peak_bytes == std::vector<std::int64_t>{40, 40});
}

TEST_CASE("1F1B takes as long and holds two micro-batches on the first stage, one on the last") {
  // PipelineStage 1: forward and backward in turn, 1-13; stage 0: b0 of the last micro-batch 13-15.
  const Schedule schedule = run(two_stages(), {}, kTwoStages, one_by_one(4));
  CHECK(to_seconds(schedule.score.step_ps) == 15);
  CHECK(schedule.peak_bytes == std::vector<std::int64_t>{20, 10});
}

TEST_CASE("1F1B warms up by as many forward passes as there are stages from a stage on") {
  const MicroBatchPipeline pipeline =
      pipelined(Problem(two_stages(), alike()), kTwoStages, one_by_one(3));
  CHECK(names(pipeline, 0) == Names{"m0/f0", "m1/f0", "m0/b0", "m2/f0", "m1/b0", "m2/b0"});
  CHECK(names(pipeline, 1) == Names{"m0/f1", "m0/b1", "m1/f1", "m1/b1", "m2/f1", "m2/b1"});
  REQUIRE(pipeline.stages.size() == 2);
  CHECK(pipeline.stages[1].device == DeviceId(1));
  CHECK(to_seconds(pipeline.stages[1].forward_ps) == 1);
  CHECK(to_seconds(pipeline.stages[1].backward_ps) == 2);
}

TEST_CASE("Fewer micro-batches than stages all warm up") {
  const MicroBatchPipeline pipeline =
      pipelined(Problem(two_stages(), alike()), kTwoStages, one_by_one(1));
  CHECK(names(pipeline, 0) == Names{"m0/f0", "m0/b0"});
}

TEST_CASE("Stages stand in the order of the tensors, not of the devices' ids") {
  const MicroBatchPipeline pipeline =
      pipelined(Problem(two_stages(), alike()), on_devices({1, 0, 0, 1}), one_by_one(2));
  CHECK(pipeline.stages[0].device == DeviceId(1));
  CHECK(names(pipeline, 1) == Names{"m0/f0", "m1/f0", "m0/b0", "m1/b0"});
}

///   f -0-> b -gradient(7)-> add -7-> f_update(3 s); f holds 5 bytes, the update 20
Graph one_update() {
  std::vector<Op> ops = {timed_op("f", 1), backward(timed_op("b", 2)), backward(timed_op("add", 1)),
                         backward(timed_op("f_update", 3))};
  ops[0].params_bytes = 5;
  ops[2].type = "add_n";
  ops[3].params_bytes = 20;
  return graph_of(std::move(ops), {tensor(0, {1}, 0), tensor(1, {2}, 7), tensor(2, {3}, 7)});
}

TEST_CASE("Gradients are summed, updates run once and parameters are held once") {
  // 3 x (1 + 2) + 1 + 3 s; 25 bytes of parameters, and two gradients while one is added.
  const Placement alone = on_devices({0, 0, 0, 0});
  const Schedule schedule = run(one_update(), {}, alone, one_by_one(3));
  CHECK(to_seconds(schedule.score.step_ps) == 13);
  CHECK(schedule.peak_bytes[0] == 25 + 14);
  const MicroBatchPipeline pipeline =
      pipelined(Problem(one_update(), alike()), alone, one_by_one(2));
  CHECK(names(pipeline, 0) == Names{"m0/f", "m0/b", "m1/f", "m1/b", "add", "f_update"});
  CHECK(to_seconds(pipeline.stages[0].update_ps) == 4);
}

TEST_CASE("The last sum of gradients is all that goes to an update elsewhere") {
  const Schedule schedule = run(one_update(), {}, on_devices({0, 0, 1, 1}), gpipe(5));
  CHECK(schedule.bytes_moved == 7);
}

TEST_CASE("Sums of gradients that a backward op reads belong to the micro-batch") {
  std::vector<Op> ops = {backward(timed_op("add", 1)), backward(timed_op("b", 1)),
                         backward(timed_op("x_update", 1))};
  ops[0].type = "add_n";
  CHECK(runs_once(graph_of(ops, {tensor(0, {1}, 1), tensor(1, {2}, 1)})) ==
        std::vector<char>{0, 0, 1});
}

TEST_CASE("Many micro-batches come at the pace of the throughput objective's bottleneck") {
  const auto pace = [](const Graph& graph, const Placement& placement, const Machine& machine,
                       PipelineSchedule schedule) {
    const double more = seconds(graph, machine, placement, {16, schedule});
    return (more - seconds(graph, machine, placement, {8, schedule})) / 8;
  };
  const auto bottleneck = [](const Graph& graph, const Placement& placement,
                             const Machine& machine) {
    const Problem problem = Problem(graph, alike(machine)).with_goal({Objective::kThroughput});
    return to_seconds(Simulator(problem, Order::kFifo).evaluate(placement).step_ps);
  };
  const Graph line = graph_of({timed_op("a", 2), timed_op("b", 3), timed_op("c", 1)},
                              {tensor(0, {1}, 1), tensor(1, {2}, 1)});
  const Placement apart = on_devices({0, 1, 2});
  for (const auto& [speed, expected] : {std::pair(1.0, 3.0), {0.25, 4.0}}) {
    const Machine machine = {.devices = 3, .bytes_per_second = speed};
    CHECK(pace(line, apart, machine, PipelineSchedule::kGpipe) == expected);
    CHECK(bottleneck(line, apart, machine) == expected);
  }
  CHECK(pace(two_stages(), kTwoStages, {}, PipelineSchedule::k1F1B) == 3);
  CHECK(bottleneck(two_stages(), kTwoStages, {}) == 3);
}

/// A forward chain with skips, each op's backward op, and the gradients of all that is read.
Graph chain_with_skips(Rng& rng, std::size_t length) {
  std::vector<Op> ops = seconds_each(std::vector<double>(length, 1));
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < length; ++i) {
    ops.push_back(backward(timed_op("b" + std::to_string(i), 2)));
    tensors.push_back(tensor(i, {length + i}, 1));
    for (std::size_t next = i + 1; next < length; ++next) {
      if (next != i + 1 && rng.below(3) > 0) continue;
      tensors.push_back(tensor(i, {next}, 1));
      tensors.push_back(tensor(length + next, {length + i}, 1));
    }
  }
  return graph_of(std::move(ops), std::move(tensors));
}

TEST_CASE("Stages with skips between them never wait for each other in a circle") {
  Rng rng(5);
  for (int trial = 0; trial < 60; ++trial) {
    const std::size_t length = 2 + rng.below(6);
    std::vector<std::size_t> stages;
    for (std::size_t i = 0; i < length; ++i) {
      stages.push_back(i == 0 ? 0 : stages.back() + rng.below(2));
    }
    std::vector<std::size_t> devices = stages;
    devices.insert(devices.end(), stages.begin(), stages.end());
    const Problem problem(chain_with_skips(rng, length), alike({.devices = length}));
    const auto count = static_cast<std::int64_t>(1 + rng.below(6));
    for (const MicroBatches& batches : {gpipe(count), one_by_one(count)}) {
      const MicroBatchPipeline pipeline = pipelined(problem, on_devices(devices), batches);
      CHECK(pipeline.stages.size() == stages.back() + 1);
      CHECK(deadlock_of(pipeline.problem, pipeline.sequences).empty());
    }
  }
}

TEST_CASE("What no pipeline can run is refused in one line") {
  CHECK(error_of(two_stages(), kTwoStages, gpipe(0)) ==
        "micro-batches: expected at least 1, found 0");
  CHECK(error_of(two_stages(), kTwoStages, gpipe(500'001)) ==
        "micro-batches: expected at most 500000 of 4 ops each, found 500001");
  CHECK(error_of(chain(2), on_devices({0, 1}), one_by_one(2)) ==
        "schedule: expected gpipe for a graph without backward ops, found 1f1b, which needs them");
  CHECK(error_of(chain(3), on_devices({0, 1, 0}), gpipe(2)) ==
        "placement: expected stages that follow each other, found 'op2' on gpu:0, which reads from "
        "gpu:1 though that has to come behind it");
  CHECK(error_of(two_stages(), on_devices({0, 1, 0, 1}), gpipe(2)) ==
        "placement: expected stages that follow each other, found 'b0' on gpu:1, which reads from "
        "gpu:0 though that has to come before it");
  CHECK(error_of(graph_of({backward(timed_op("b", 1)), timed_op("f", 1)}, {tensor(0, {1}, 1)}),
                 on_devices({0, 0}), gpipe(2)) ==
        "ops: expected forward ops that read from forward ops, found 'f', which reads from the "
        "backward op 'b'");
  std::vector<Op> ops = {timed_op("f", 1), backward(timed_op("m1/f", 1))};
  ops[1].type = "sgd_update";
  CHECK(error_of(graph_of(std::move(ops), {tensor(0, {1}, 1)}), on_devices({0, 0}), gpipe(2)) ==
        "micro-batches: expected no op that is called as a copy is (m0/OP, r1/OP, reduce/DEVICE), "
        "found one: ops[2].name: expected a unique name, found 'm1/f' again (first at ops[1])");
}

}  // namespace
}  // namespace placer::testing
