#pragma once

#include <cstdint>

#include "placer/search/search.hpp"

namespace placer {

struct MixedSearchOptions {
  std::int64_t nodes = 0;    // of all trees together; each counts as an evaluation
  std::int64_t entries = 0;  // coefficients of the program
};

/// Looks for the placement that is best under throughput by the mixed-integer linear program of
/// ThroughputProgram, from the lower bound and the best so far on. A narrow range of bottlenecks is
/// far easier to look through than a wide one: ranges above the bound are tried until one has a
/// solution or the best so far is reached (destructive bounds, Klein, Scholl 1999). Tells the
/// search the bound that this proves. It is worked out in floating point, so that two millionths
/// are taken off before it is rounded up to what divides all times. Needs
/// can_solve_mixed_programs().
void search_throughput_program(Search& search, const MixedSearchOptions& options);

}  // namespace placer
