// `placer_instructions WHAT TIMES`: evaluates transformer/1000/4/good TIMES times, or searches
// inception_v3 by post. Run under callgrind: by scripts/instructions.sh, which takes the difference
// of two runs, and by scripts/bench.sh, which counts what post does outside the simulator.
#include <fmt/core.h>

#include <functional>
#include <map>
#include <span>
#include <string>

#include "placer/base/rng.hpp"
#include "placer/search/run.hpp"
#include "placer/sim/incremental.hpp"
#include "problems.hpp"

using namespace placer;
using namespace placer::bench;

namespace {

using Evaluate = std::function<void(const PlacedProblem&, int times)>;

Evaluate in_full(Order order) {
  return [order](const PlacedProblem& placed, int times) {
    Simulator simulator(placed.problem, order);
    for (; times > 0; --times) simulator.evaluate(placed.placement);
  };
}

void by_moves(const PlacedProblem& placed, int times) {
  Simulator simulator(placed.problem, Order::kFifo);
  Incremental incremental(simulator, Incremental::Use::kAlways);
  Placement proposed = placed.placement;
  for (Rng rng(1); times > 0; --times) {
    const Move move = random_move(placed.problem, placed.placement, rng);
    proposed[move.group] = move.device;
    incremental.propose(placed.placement, proposed, std::span(&move, 1));
    proposed[move.group] = placed.placement[move.group];
  }
}

void by_post(const PlacedProblem& placed, int times) {
  SearchRequest request;
  request.optimizer = &find_optimizer("post");
  request.budget.evaluations = times;
  run_search(placed.problem, request);
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, Evaluate> known = {{"fifo", in_full(Order::kFifo)},
                                                 {"ports", in_full(Order::kFifo)},
                                                 {"memory", in_full(Order::kFifo)},
                                                 {"priority", in_full(Order::kPriority)},
                                                 {"program", in_full(Order::kProgram)},
                                                 {"moves", by_moves},
                                                 {"post", by_post}};
  if (argc != 3 || !known.contains(argv[1])) {
    fmt::print(stderr,
               "expected fifo, ports, memory, priority, program, moves or post, and a number\n");
    return 1;
  }
  const std::string what = argv[1];
  Scenario scenario{.family = "transformer", .ops = 1000, .tight = what == "memory"};
  if (what == "ports") scenario.contention = Contention::kPorts;
  if (what == "post") scenario = {.family = "inception_v3"};
  known.at(what)(placed_problem(scenario), std::stoi(argv[2]));
}
