#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "placer/model/topology.hpp"
#include "placer/sim/simulator.hpp"

namespace placer::testing {

/// What decides which way an evaluation goes.
struct FuzzMode {
  Order order;
  Contention contention;
  bool many_slots, tight_memory;  // on some device
  friend auto operator<=>(const FuzzMode&, const FuzzMode&) = default;
};

struct FuzzCounts {
  std::int64_t evaluations = 0;  // each by the referee and by everything that can do it
  std::int64_t fast = 0;         // of these, also by a fast path
  std::int64_t overflowing = 0, deadlocks = 0, moves = 0;  // moves: by Incremental

  FuzzCounts& operator+=(const FuzzCounts& other);
};

using FuzzFigures = std::map<FuzzMode, FuzzCounts>;

/// Makes the random problem `index` of `seed` and evaluates placements of it in every order by the
/// simulator (score and schedule), the general loop, the fast path where there is one, incremental
/// moves where they are served, and the referee. Adds to `figures` what was done. Empty when all
/// give the same bits; else a line that says which two do not.
std::string fuzz_problem(std::uint64_t seed, std::size_t index, FuzzFigures& figures);

}  // namespace placer::testing
