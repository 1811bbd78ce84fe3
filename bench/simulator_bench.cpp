// How long one evaluation of the simulator takes, beside two yardsticks measured in the same run:
// one sequential pass over the graph and a textbook event loop. Rows are called
// FAMILY/OPS/DEVICES/PLACEMENT/WHAT, so `--benchmark_filter=transformer/.*/4/good` takes some.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "families.hpp"
#include "placer/base/rng.hpp"
#include "placer/search/run.hpp"
#include "placer/sim/incremental.hpp"
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
      benchmark::DoNotOptimize(textbook_score(placed.problem, placed.placement));
    }
    Simulator simulator(placed.problem, Order::kFifo);
    if (textbook_score(placed.problem, placed.placement) != simulator.evaluate(placed.placement)) {
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

void add_moves_in_full(const Scenario& scenario) {
  add_row(scenario, "moves, in full", [](benchmark::State& state, const PlacedProblem& placed) {
    Simulator simulator(placed.problem, Order::kFifo);
    Rng rng(1);
    Placement proposed = placed.placement;
    for (auto _ : state) {
      const Move move = random_move(placed.problem, placed.placement, rng);
      proposed[move.group] = move.device;
      benchmark::DoNotOptimize(simulator.evaluate(proposed));
      proposed[move.group] = placed.placement[move.group];
    }
  });
}

/// Moves from the placement, or from where a climb has got.
void add_moves(const Scenario& scenario, bool climbs, const std::string& what) {
  add_row(scenario, what, [climbs](benchmark::State& state, const PlacedProblem& placed) {
    Simulator simulator(placed.problem, Order::kFifo);
    Incremental incremental(simulator);
    Rng rng(1);
    Placement current = placed.placement, proposed = current;
    Score score = simulator.evaluate(current);
    for (auto _ : state) {
      const Move move = random_move(placed.problem, current, rng);
      proposed[move.group] = move.device;
      const Score next = incremental.propose(current, proposed, std::span(&move, 1));
      if (climbs && next <= score) {
        incremental.accept();
        current[move.group] = move.device;
        score = next;
      } else {
        proposed[move.group] = current[move.group];
      }
    }
    const Incremental::Work& work = incremental.work();
    const auto proposals = static_cast<double>(work.proposals);
    state.counters["steps"] = static_cast<double>(work.steps) / proposals;
    state.counters["full"] = static_cast<double>(work.full_evaluations) / proposals;
  });
}

/// All of a hill climb, by evaluation.
void add_hill_climb(const Scenario& scenario) {
  add_row(scenario, "hill-climb", [](benchmark::State& state, const PlacedProblem& placed) {
    SearchRequest request;
    request.optimizer = &find_optimizer("hill-climb");
    request.start = placed.placement;
    request.budget.evaluations = state.max_iterations;
    while (state.KeepRunningBatch(state.max_iterations)) {
      benchmark::DoNotOptimize(run_search(placed.problem, request));
    }
  });
}

void add_all_moves(const Scenario& scenario) {
  add_moves_in_full(scenario);
  add_moves(scenario, false, "moves");
  add_moves(scenario, true, "moves, climbing");
  add_hill_climb(scenario);
}

void add_scenario(Scenario scenario) {
  add_yardsticks(scenario);
  add_simulator(scenario, Order::kFifo, "fifo");
  add_simulator(scenario, Order::kPriority, "priority");
  add_all_moves(scenario);
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
  for (const bool good : {true, false}) {
    const Scenario inception{.family = "inception_v3", .good = good};
    add_yardsticks(inception);
    add_simulator(inception, Order::kFifo, "fifo");
    add_all_moves(inception);
  }
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  add_all();
  Table table;
  benchmark::RunSpecifiedBenchmarks(&table);
}
