#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "placer/sim/simulator.hpp"

namespace placer::testing {

/// What `fuzz_bounds` has tried.
struct BoundFigures {
  std::int64_t problems = 0;    // in some order
  std::int64_t fit = 0;         // of these, some placement does
  std::int64_t impossible = 0;  // the bounds prove that none does
  std::int64_t met = 0;         // the largest bound is the optimum
};

/// Makes the small random problem `index` of `seed` and holds every bound, exhaustive search and
/// branch and bound in every order against the best of all placements, by the referee; under order
/// `given` against the best of all orders of small ones too. Adds to `figures` what was done. Empty
/// when none contradicts it; else a line that says which does.
std::string fuzz_bounds(std::uint64_t seed, std::size_t index, BoundFigures& figures);

}  // namespace placer::testing
