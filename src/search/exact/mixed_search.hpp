#pragma once

#include <cstdint>

#include "placer/search/search.hpp"

namespace placer {

struct MixedLimits {
  std::int64_t nodes = 0;    // each counts as an evaluation
  std::int64_t entries = 0;  // coefficients of the program
};

/// Looks for the placement that is best under throughput by the mixed-integer linear program of
/// ThroughputProgram, from the best so far on. Tells the search the bound that this proves: it is
/// worked out in floating point, so that a millionth is taken off before it is rounded up to what
/// divides all times. The search's groups are not merged. Needs can_solve_mixed_programs().
void search_throughput_program(Search& search, const MixedLimits& limits);

}  // namespace placer
