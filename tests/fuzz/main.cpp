// `placer_fuzz PROBLEMS [SEED [FIRST]]`: see scripts/fuzz.sh.
#include <fmt/core.h>

#include <cstdio>
#include <stdexcept>
#include <string>

#include "support/fuzz.hpp"
#include "support/problems.hpp"

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

int run(std::size_t problems, std::uint64_t seed, std::size_t first) {
  FuzzFigures figures;
  for (std::size_t done = 0; done < problems; ++done) {
    const std::string wrong = fuzz_problem(seed, first + done, figures);
    if (!wrong.empty()) {
      fmt::print("{}\nagain: scripts/fuzz.sh 1 {} {}\n", wrong, seed, first + done);
      return 1;
    }
    if ((done + 1) % kProgressEvery != 0) continue;
    fmt::print(stderr, "{} of {} problems\n", done + 1, problems);
  }
  fmt::print("{} problems of seed {} from {}: the same bits everywhere\n", problems, seed, first);
  print(figures);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc < 2 || argc > 4) throw std::invalid_argument("");
    return run(std::stoul(argv[1]), argc > 2 ? std::stoul(argv[2]) : 1,
               argc > 3 ? std::stoul(argv[3]) : 0);
  } catch (const std::logic_error&) {
    fmt::print(stderr, "expected: PROBLEMS [SEED [FIRST]]\n");
    return 1;
  }
}
