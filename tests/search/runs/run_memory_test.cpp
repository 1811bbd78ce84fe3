// What a device holds that has some groups in a row.
#include "search/runs/run_memory.hpp"

#include <catch2/catch.hpp>

#include "placer/sim/simulator.hpp"
#include "search/groups/topological_groups.hpp"
#include "support/problems.hpp"

namespace placer::testing {
namespace {

/// Three layers, forward and back.
Problem three_layers() {
  std::vector<Op> ops = seconds_each({1, 1, 1, 1, 1, 1});
  const char* layers[] = {"0", "1", "2", "2", "1", "0"};
  for (std::size_t op = 0; op < ops.size(); ++op) ops[op].group = layers[op];
  ops[1].params_bytes = 1000;
  ops[4].temp_bytes = 200;
  std::vector<Tensor> tensors = {tensor(0, {1, 4}, 1), tensor(1, {2, 3}, 2), tensor(2, {3}, 4),
                                 tensor(3, {4}, 8),    tensor(4, {5}, 16),   tensor(5, {}, 32)};
  tensors.back().keep = true;
  return Problem(graph_of(std::move(ops), std::move(tensors)), alike());
}

TEST_CASE("a run holds what its layers make and read from the forward to the backward pass") {
  const Problem problem = three_layers();
  RunMemory memory(problem, topological_groups(problem));
  CHECK(memory.peak_bytes(0, 1) == 16 + 32);
  CHECK(memory.peak_bytes(1, 2) == 1000 + 1 + 8 + 16 + 200);
  CHECK(memory.peak_bytes(2, 3) == 2 + 4 + 8);
  CHECK(memory.peak_bytes(0, 2) == 1000 + 1 + 8 + 16 + 200);
  CHECK(memory.peak_bytes(1, 3) == 1000 + 1 + 8 + 16 + 200);
  CHECK(memory.peak_bytes(1, 1) == 0);
}

TEST_CASE("all groups hold what the simulator finds on one device, in program order") {
  Rng rng(31);
  for (int i = 0; i < 200; ++i) {
    const Problem problem =
        random_problem(rng, {.zero_times = false, .many_slots = false, .limits = false});
    RunMemory memory(problem, topological_groups(problem));
    Schedule schedule;
    Simulator(problem, Order::kProgram).evaluate(*problem.all_on(DeviceId(0)), nullptr, &schedule);
    for (int again = 0; again < 2; ++again) {
      CHECK(memory.peak_bytes(0, problem.groups().size()) == schedule.peak_bytes.front());
    }
  }
}

}  // namespace
}  // namespace placer::testing
