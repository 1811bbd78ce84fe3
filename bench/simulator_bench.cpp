// How long one evaluation of the simulator takes, beside two yardsticks measured in the same run:
// one sequential pass over the graph and a textbook event loop. Rows are called
// FAMILY/OPS/DEVICES/PLACEMENT/WHAT, so `--benchmark_filter=transformer/.*/4/good` takes some.
#include <benchmark/benchmark.h>

#include <array>
#include <filesystem>
#include <functional>
#include <string>

#include "families.hpp"
#include "placer/sim/simulator.hpp"
#include "problems.hpp"
#include "reference.hpp"
#include "table.hpp"

using namespace placer;
using namespace placer::bench;

namespace {

void add_row(const Scenario& scenario, const std::string& what,
             const std::function<void(benchmark::State&, const PlacedProblem&)>& run) {
  const std::string name = scenario.name() + "/" + what;
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    const PlacedProblem& placed = placed_problem(scenario);
    run(state, placed);
    state.counters["ops"] = static_cast<double>(placed.problem.op_count());
  });
}

void add_yardsticks(const Scenario& scenario) {
  add_row(scenario, "one pass", [](benchmark::State& state, const PlacedProblem& placed) {
    for (auto _ : state) {
      benchmark::DoNotOptimize(one_pass_sum(placed.problem, placed.placement));
    }
  });
  add_row(scenario, "textbook loop", [](benchmark::State& state, const PlacedProblem& placed) {
    for (auto _ : state) {
      benchmark::DoNotOptimize(textbook_step(placed.problem, placed.placement));
    }
    Simulator simulator(placed.problem, Order::kFifo);
    if (textbook_step(placed.problem, placed.placement) !=
        simulator.evaluate(placed.placement).step_ps) {
      state.SkipWithError("the textbook loop and the simulator disagree");
    }
  });
}

void add_simulator(const Scenario& scenario, Order order, const std::string& what) {
  add_row(scenario, what, [order](benchmark::State& state, const PlacedProblem& placed) {
    Simulator simulator(placed.problem, order);
    for (auto _ : state) benchmark::DoNotOptimize(simulator.evaluate(placed.placement));
  });
}

std::string name_of(Contention contention) {
  return contention_names()[static_cast<std::size_t>(contention)];
}

void add_scenario(Scenario scenario) {
  add_yardsticks(scenario);
  add_simulator(scenario, Order::kFifo, "fifo");
  add_simulator(scenario, Order::kPriority, "priority");
  scenario.tight = true;
  add_simulator(scenario, Order::kFifo, "fifo with memory");
}

/// What the other orders and contentions cost, on one family.
void add_variants(Scenario scenario) {
  for (const Order order : {Order::kProgram, Order::kGiven, Order::kPct, Order::kMsr}) {
    add_simulator(scenario, order, name_of(order));
  }
  for (const Contention contention :
       {Contention::kEgress, Contention::kPorts, Contention::kHalfDuplex, Contention::kNone}) {
    scenario.contention = contention;
    add_simulator(scenario, Order::kFifo, "fifo, " + name_of(contention));
  }
}

void add_all() {
  for (const Family& family : kFamilies) {
    for (const std::size_t ops : {100u, 1'000u, 10'000u, 100'000u}) {
      for (const std::size_t devices : {2u, 4u, 8u}) {
        for (const bool good : {true, false}) {
          const Scenario scenario{
              .family = family.name, .ops = ops, .devices = devices, .good = good};
          add_scenario(scenario);
          if (family.name == "layered" && devices == 4 && good) add_variants(scenario);
        }
      }
    }
  }
  if (!std::filesystem::exists(PLACER_SOURCE_DIR "/graphs/inception_v3.json")) return;
  const Scenario inception{.family = "inception_v3", .good = false};
  add_yardsticks(inception);
  add_simulator(inception, Order::kFifo, "fifo");
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  add_all();
  Table table;
  benchmark::RunSpecifiedBenchmarks(&table);
}
