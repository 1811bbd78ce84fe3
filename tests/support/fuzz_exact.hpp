#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace placer::testing {

/// What `fuzz_exact` has tried.
struct ExactFigures {
  std::int64_t problems = 0;
  std::int64_t by_dp = 0, by_milp = 0, by_exhaustive = 0;  // proofs that something is the best
  std::int64_t by_several = 0;                             // problems with more than one proof
};

/// Whether this build has the solver that `milp` needs.
bool has_milp();

/// Makes the random problem `index` of `seed` under the objective throughput, too large for a table
/// of all placements by the referee, and solves it by dynamic programming, by the mixed-integer
/// program from a poor placement on and, where it takes few evaluations, by exhaustive search: what
/// one proves is met by every other proof, beaten by no answer and below no other's bound. Empty
/// when that holds; else a line that says what does not.
std::string fuzz_exact(std::uint64_t seed, std::size_t index, ExactFigures& figures);

}  // namespace placer::testing
