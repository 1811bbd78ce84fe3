// `placer_fuzz simulator|bounds|pipelines|exact PROBLEMS [SEED [FIRST]]`: see scripts/fuzz.sh.
#include "support/problems.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>

#include "support/fuzz.hpp"
#include "support/fuzz_bounds.hpp"
#include "support/fuzz_exact.hpp"
#include "support/fuzz_pipelines.hpp"

using namespace placer;
using namespace placer::testing;

namespace {

constexpr std::size_t kProgressEvery = 5000;

std::string name_of(const FuzzMode& mode) {
  return fmt::format("{}, {}, {} memory", name_of(mode.contention),
                     mode.many_slots ? "slots" : "one slot", mode.tight_memory ? "tight" : "ample");
}

/// A row for each mode, a column for each order.
void print(const FuzzFigures& figures) {
  fmt::print("{:36}", "evaluations (by a fast path)");
  for (const Order order : kAllOrders) fmt::print("{:>18}", name_of(order));
  FuzzCounts sum;
  for (const auto& [first, unused] : figures) {
    if (first.order != kAllOrders.front()) break;
    fmt::print("\n{:36}", name_of(first));
    for (const Order order : kAllOrders) {
      FuzzMode mode = first;
      mode.order = order;
      const FuzzCounts& counts = figures.at(mode);
      fmt::print("{:>18}", fmt::format("{} ({})", counts.evaluations, counts.fast));
      sum += counts;
    }
  }
  fmt::print(
      "\n{} evaluations, {} also by a fast path, {} too large for the memory, {} deadlocks; "
      "{} moves\n",
      sum.evaluations, sum.fast, sum.overflowing, sum.deadlocks, sum.moves);
}

/// `part` for each problem; false, and why on stdout, for the first that goes wrong.
template <class Part>
bool all_hold(const std::string& name, std::size_t problems, std::uint64_t seed, std::size_t first,
              const Part& part) {
  for (std::size_t done = 0; done < problems; ++done) {
    const std::string wrong = part(first + done);
    if (!wrong.empty()) {
      fmt::print("{}\nagain: scripts/fuzz.sh {} 1 {} {}\n", wrong, name, seed, first + done);
      return false;
    }
    if ((done + 1) % kProgressEvery != 0) continue;
    fmt::print(stderr, "{} of {} problems\n", done + 1, problems);
  }
  fmt::print("{} problems of seed {} from {}: ", problems, seed, first);
  return true;
}

int run_simulator(std::size_t problems, std::uint64_t seed, std::size_t first) {
  FuzzFigures figures;
  if (!all_hold("simulator", problems, seed, first,
                [&](std::size_t index) { return fuzz_problem(seed, index, figures); })) {
    return 1;
  }
  fmt::print("the same bits everywhere\n");
  print(figures);
  return 0;
}

int run_bounds(std::size_t problems, std::uint64_t seed, std::size_t first) {
  BoundFigures figures;
  if (!all_hold("bounds", problems, seed, first,
                [&](std::size_t index) { return fuzz_bounds(seed, index, figures); })) {
    return 1;
  }
  fmt::print(
      "no bound above an optimum\nin {} orders of ops in all: {} with a placement that fits, in {} "
      "of them the optimum is the bound; {} proven to have none\n",
      figures.problems, figures.fit, figures.met, figures.impossible);
  return 0;
}

int run_pipelines(std::size_t problems, std::uint64_t seed, std::size_t first) {
  PipelineFigures figures;
  if (!all_hold("pipelines", problems, seed, first,
                [&](std::size_t index) { return fuzz_pipelines(seed, index, figures); })) {
    return 1;
  }
  fmt::print(
      "the referee's score everywhere, no bound above an optimum and no false proof\n{} "
      "placements; "
      "{} problems with one that fits; {} proofs by dp, interval-dp, auto and milp; {} solved by "
      "milp\n",
      figures.placements, figures.fit, figures.proven, figures.solved);
  return 0;
}

int run_exact(std::size_t problems, std::uint64_t seed, std::size_t first) {
  if (!has_milp()) fmt::print("this build has no solver of mixed-integer programs: dp alone\n");
  ExactFigures figures;
  if (!all_hold("exact", problems, seed, first,
                [&](std::size_t index) { return fuzz_exact(seed, index, figures); })) {
    return 1;
  }
  fmt::print(
      "no proof contradicts another\n{} proofs by dp, {} by milp, {} by exhaustive search; {} "
      "problems with more than one\n",
      figures.by_dp, figures.by_milp, figures.by_exhaustive, figures.by_several);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc < 3 || argc > 5) throw std::invalid_argument("");
    const std::string part = argv[1];
    const std::map<std::string, int (*)(std::size_t, std::uint64_t, std::size_t)> parts = {
        {"simulator", run_simulator},
        {"bounds", run_bounds},
        {"pipelines", run_pipelines},
        {"exact", run_exact}};
    if (!parts.contains(part)) throw std::invalid_argument("");
    return parts.at(part)(std::stoul(argv[2]), argc > 3 ? std::stoul(argv[3]) : 1,
                          argc > 4 ? std::stoul(argv[4]) : 0);
  } catch (const std::logic_error&) {
    fmt::print(stderr, "expected: simulator|bounds|pipelines|exact PROBLEMS [SEED [FIRST]]\n");
    return 1;
  }
}
