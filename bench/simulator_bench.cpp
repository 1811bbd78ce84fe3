// How long one evaluation of the simulator takes, beside two yardsticks measured in the same run.
// Goal: under 300 ns per op at 1,000 ops under fifo with memory.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <string>

#include "placer/sim/simulator.hpp"
#include "problems.hpp"
#include "reference.hpp"
#include "table.hpp"

using namespace placer;
using namespace placer::bench;

namespace {

void count_ops(benchmark::State& state, const Problem& problem) {
  state.counters["ops"] = static_cast<double>(problem.op_count());
}

void bench_yardsticks(const Problem& problem, const Placement& placement,
                      const std::string& graph) {
  benchmark::RegisterBenchmark(("one pass/" + graph).c_str(), [=](benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(one_pass_sum(problem, placement));
    count_ops(state, problem);
  });
  benchmark::RegisterBenchmark(("textbook loop/" + graph).c_str(), [=](benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(textbook_step(problem, placement));
    count_ops(state, problem);
    Simulator simulator(problem, Order::kFifo);
    if (textbook_step(problem, placement) != simulator.evaluate(placement).step_ps) {
      state.SkipWithError("the textbook loop and the simulator disagree");
    }
  });
}

void bench_simulator(const Problem& problem, const Placement& placement, Order order,
                     const std::string& name) {
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    Simulator simulator(problem, order);
    for (auto _ : state) benchmark::DoNotOptimize(simulator.evaluate(placement));
    count_ops(state, problem);
  });
}

std::string name_of(Contention contention) {
  return contention_names()[static_cast<std::size_t>(contention)];
}

void bench_layered(std::size_t ops) {
  const std::string graph = std::to_string(ops);
  const Problem plain = layered_problem(ops, Contention::kLink);
  const Placement placement = columns_on_devices(plain);
  bench_yardsticks(plain, placement, graph);
  for (const Order order :
       {Order::kFifo, Order::kPriority, Order::kPct, Order::kMsr, Order::kProgram, Order::kGiven}) {
    bench_simulator(plain, placement, order, order_name(order) + ", link/" + graph);
  }
  for (const Contention contention :
       {Contention::kEgress, Contention::kPorts, Contention::kHalfDuplex, Contention::kNone}) {
    bench_simulator(layered_problem(ops, contention), placement, Order::kFifo,
                    "fifo, " + name_of(contention) + "/" + graph);
  }
}

void bench_inception() {
  if (!std::filesystem::exists(PLACER_SOURCE_DIR "/graphs/inception_v3.json")) return;
  const Problem problem = inception_problem();
  const Placement placement = random_placement(problem, 1);
  bench_yardsticks(problem, placement, "inception");
  bench_simulator(problem, placement, Order::kFifo, "fifo, inception_v3 at random/inception");
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  for (const std::size_t ops : {100u, 1'000u, 10'000u}) bench_layered(ops);
  bench_inception();
  Table table;
  benchmark::RunSpecifiedBenchmarks(&table);
}
