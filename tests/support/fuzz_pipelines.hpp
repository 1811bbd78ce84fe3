#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "placer/base/rng.hpp"
#include "placer/model/problem.hpp"

namespace placer::testing {

/// Like `random_problem`, of two to `most_ops` ops on up to three devices, with backward ops in
/// each third one, hosts, serial copies, and an objective other than latency under some contiguity.
Problem random_pipeline(std::size_t index, Rng& rng, std::size_t most_ops);

/// What `fuzz_pipelines` has tried.
struct PipelineFigures {
  std::int64_t placements = 0;
  std::int64_t fit = 0;     // problems for which some placement does
  std::int64_t proven = 0;  // by dp, interval-dp, auto or milp
  std::int64_t solved = 0;  // programs, by milp
};

/// Makes the small random problem `index` of `seed` under an objective other than latency and a
/// rule of contiguity, and holds the simulator, its moves, the bounds, exhaustive search, dynamic
/// programming and the mixed-integer program against all placements as the referee has them. Empty
/// when nothing contradicts it; else a line that says what does.
std::string fuzz_pipelines(std::uint64_t seed, std::size_t index, PipelineFigures& figures);

}  // namespace placer::testing
