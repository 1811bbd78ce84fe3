// `placer_speed [POST]`: prints the table of scripts/bench.sh, the simulator's speed against what
// is asked of it. POST: the share of a post search outside the simulator. Times are of one thread's
// processor time, medians; what is compared is measured in turns.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "placer/base/rng.hpp"
#include "placer/search/run.hpp"
#include "placer/sim/incremental.hpp"
#include "placer/sim/simulator.hpp"
#include "problems.hpp"
#include "reference.hpp"

using namespace placer;
using namespace placer::bench;

namespace {

constexpr int kRounds = 9;
constexpr double kShortestSeconds = 0.03;  // of a measurement
constexpr std::array<std::size_t, 3> kSizes = {1'000, 10'000, 100'000};

using Calls = std::function<void(int)>;  // this many

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds_of(const Calls& calls, int count) {
  const double begin = processor_seconds();
  calls(count);
  return (processor_seconds() - begin) / count;
}

int enough(const Calls& calls) {
  int count = 1;
  while (seconds_of(calls, count) * count < kShortestSeconds) count *= 2;
  return count;
}

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + kRounds / 2);
  return values[kRounds / 2];
}

double median_seconds(const Calls& calls) {
  const int count = enough(calls);
  std::vector<double> seconds;
  for (int round = 0; round < kRounds; ++round) seconds.push_back(seconds_of(calls, count));
  return median(seconds);
}

/// How many times as long as `fast` takes `slow`.
double median_ratio(const Calls& slow, const Calls& fast) {
  const int slow_count = enough(slow), fast_count = enough(fast);
  std::vector<double> ratios;
  for (int round = 0; round < kRounds; ++round) {
    const double slow_seconds = seconds_of(slow, slow_count);
    ratios.push_back(slow_seconds / seconds_of(fast, fast_count));
  }
  return median(ratios);
}

/// One row: a measurement against the least that is asked and the aim beyond it.
struct Wanted {
  double bar, goal;
};

void print_row(const std::string& what, const std::string& found, const std::string& bar,
               const std::string& goal, bool met, bool reached) {
  fmt::print("| {} | {} | {} | {} | {} |\n", what, found, bar, goal,
             reached ? "met, and the goal" : (met ? "met" : "**not met**"));
  std::fflush(stdout);
}

void at_most(const std::string& what, double found, Wanted wanted, const char* unit) {
  const auto text = [unit](double value) { return fmt::format("{:.3g}{}", value, unit); };
  print_row(what, text(found), text(wanted.bar), text(wanted.goal), found <= wanted.bar,
            found <= wanted.goal);
}

void at_least(const std::string& what, double found, Wanted wanted) {
  const auto text = [](double value) { return fmt::format("{:.3g}x", value); };
  print_row(what, text(found), text(wanted.bar), text(wanted.goal), found >= wanted.bar,
            found >= wanted.goal);
}

std::string grouped(double value) {
  std::string text = fmt::format("{:.0f}", value);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

double ns_per_op(const Scenario& scenario, Order order) {
  const PlacedProblem& placed = placed_problem(scenario);
  Simulator simulator(placed.problem, order);
  const double seconds = median_seconds([&](int count) {
    for (; count > 0; --count) simulator.evaluate(placed.placement);
  });
  return seconds * 1e9 / static_cast<double>(placed.problem.op_count());
}

void evaluations(const std::string& what, Scenario scenario, Order order,
                 const std::array<Wanted, 3>& wanted) {
  for (std::size_t i = 0; i < kSizes.size(); ++i) {
    scenario.ops = kSizes[i];
    at_most(fmt::format("{}, {} ops, ns per op", what, grouped(static_cast<double>(kSizes[i]))),
            ns_per_op(scenario, order), wanted[i], "");
  }
}

void against_the_textbook() {
  const PlacedProblem& placed = placed_problem({.family = "transformer", .ops = 1'000});
  Simulator simulator(placed.problem, Order::kFifo);
  const double ratio = median_ratio(
      [&](int count) {
        for (; count > 0; --count) textbook_score(placed.problem, placed.placement);
      },
      [&](int count) {
        for (; count > 0; --count) simulator.evaluate(placed.placement);
      });
  at_least("fifo against a textbook event loop, 1,000 ops", ratio, {4, 7});
}

/// Calls that score random moves from the placement, in full.
Calls moves_in_full(Simulator& simulator, const PlacedProblem& placed, Rng& rng) {
  return [&](int count) {
    for (Placement proposed = placed.placement; count > 0; --count) {
      const Move move = random_move(placed.problem, placed.placement, rng);
      proposed[move.group] = move.device;
      simulator.evaluate(proposed);
      proposed[move.group] = placed.placement[move.group];
    }
  };
}

Calls moves(Incremental& incremental, const PlacedProblem& placed, Rng& rng) {
  return [&](int count) {
    for (Placement proposed = placed.placement; count > 0; --count) {
      const Move move = random_move(placed.problem, placed.placement, rng);
      proposed[move.group] = move.device;
      incremental.propose(placed.placement, proposed, std::span(&move, 1));
      proposed[move.group] = placed.placement[move.group];
    }
  };
}

void incrementally(const Scenario& scenario, Wanted wanted) {
  const PlacedProblem& placed = placed_problem(scenario);
  Simulator simulator(placed.problem, Order::kFifo), other(placed.problem, Order::kFifo);
  Incremental incremental(simulator);
  Rng rng(1), other_rng(1);
  at_least(fmt::format("moves against full evaluations, {}, {} ops", scenario.family,
                       grouped(static_cast<double>(scenario.ops))),
           median_ratio(moves_in_full(other, placed, other_rng), moves(incremental, placed, rng)),
           wanted);
}

Calls search(const PlacedProblem& placed, const std::string& name) {
  return [&placed, name](int count) {
    SearchRequest request;
    request.optimizer = &find_optimizer(name);
    if (name == "hill-climb") request.start = placed.placement;
    request.budget.evaluations = count;
    run_search(placed.problem, request);
  };
}

/// Full evaluations of its moves are the least that a climb without increments would take.
void climb() {
  const PlacedProblem& placed = placed_problem({.family = "transformer", .ops = 10'000});
  Simulator simulator(placed.problem, Order::kFifo);
  Rng rng(1);
  at_least("hill-climb against full evaluations alone, transformer, 10,000 ops",
           median_ratio(moves_in_full(simulator, placed, rng), search(placed, "hill-climb")),
           {10, 50});
}

void searches() {
  fmt::print(
      "\nEvaluations per second of whole searches, one thread, `hill-climb` from the "
      "placement of HEFT:\n\n| graph | `post` | `genetic` | `hill-climb` |\n"
      "| --- | --- | --- | --- |\n");
  const std::array<Scenario, 3> scenarios = {Scenario{.family = "inception_v3"},
                                             Scenario{.family = "transformer", .ops = 10'000},
                                             Scenario{.family = "transformer", .ops = 100'000}};
  for (const Scenario& scenario : scenarios) {
    const PlacedProblem& placed = placed_problem(scenario);
    fmt::print("| {}, {} ops |", scenario.family,
               grouped(static_cast<double>(placed.problem.op_count())));
    for (const char* name : {"post", "genetic", "hill-climb"}) {
      const int count = scenario.ops > 10'000 ? 500 : 5'000;
      fmt::print(" {} |", grouped(1 / seconds_of(search(placed, name), count)));
    }
    fmt::print("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  fmt::print("|  | found | bar | goal |  |\n| --- | --- | --- | --- | --- |\n");
  const Scenario ample{.family = "transformer"}, tight{.family = "transformer", .tight = true};
  Scenario ports = ample, tight_ports = tight, slots = tight;
  ports.contention = tight_ports.contention = Contention::kPorts;
  slots.slots = 2;
  const std::array<Wanted, 3> general = {{{110, 60}, {130, 70}, {190, 100}}};
  evaluations("fifo", ample, Order::kFifo, {{{30, 20}, {35, 25}, {60, 40}}});
  evaluations("priority", ample, Order::kPriority, {{{55, 40}, {65, 45}, {90, 60}}});
  evaluations("fifo over shared channels (`ports`)", ports, Order::kFifo, general);
  evaluations("fifo over shared channels with memory", tight_ports, Order::kFifo, general);
  evaluations("general loop with memory (two slots)", slots, Order::kFifo, general);
  evaluations("fifo with memory that has to be followed", tight, Order::kFifo, general);
  against_the_textbook();
  incrementally({.family = "transformer", .ops = 1'000}, {8, 15});
  incrementally({.family = "transformer", .ops = 10'000}, {35, 100});
  for (const char* family : {"layered", "random"}) {
    for (const std::size_t ops : {1'000u, 10'000u}) {
      incrementally({.family = family, .ops = ops}, {0.9, 1});
    }
  }
  climb();
  if (argc > 1) {
    at_most("instructions of `post` outside the simulator, inception_v3 on `4gpu`",
            std::stod(argv[1]), {50, 20}, " %");
  }
  searches();
}
