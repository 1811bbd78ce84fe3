#pragma once

#include <cstdint>
#include <vector>

#include "placer/model/problem.hpp"
#include "placer/sim/score.hpp"

namespace placer {

struct SearchRequest;

/// All that resuming a search needs. An algorithm is the same function of the scores that it is
/// given, so that it comes to where it was when it is given them again, without a simulation.
struct SearchCheckpoint {
  std::int64_t request = 0;   // the request_fingerprint() of the search
  std::vector<Score> scores;  // of its evaluations, in their order
  friend bool operator==(const SearchCheckpoint&, const SearchCheckpoint&) = default;
};

/// A hash of all that the evaluations of a search depend on: the problem, the algorithm with its
/// options, the order of ops, the budget but for seconds, the target, the groups, the seed, the
/// start and the policy to begin with, and the version of this library. Throws Error for options
/// that the algorithm does not take.
std::int64_t request_fingerprint(const Problem& problem, const SearchRequest& request);

}  // namespace placer
