#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "placer/model/problem.hpp"
#include "placer/sim/score.hpp"

namespace placer {

struct SearchRequest;

/// What the evaluations of a search depend on, by name: {"seed", "1"}; what is long as its hash,
/// {"graph", "hash 1f..."}.
using RequestFacts = std::vector<std::pair<std::string, std::string>>;

/// All that resuming a search needs. An algorithm is the same function of the scores that it is
/// given, so that it comes to where it was when it is given them again, without a simulation.
struct SearchCheckpoint {
  RequestFacts request;       // the request_facts() of the search
  std::vector<Score> scores;  // of its evaluations, in their order
  friend bool operator==(const SearchCheckpoint&, const SearchCheckpoint&) = default;
};

/// All that the evaluations of a search depend on but the version of this library: the problem, the
/// algorithm with its options, the order of ops, the budget but for seconds, the target, the
/// groups, the seed, the start and the policy to begin with. Throws Error for options that the
/// algorithm does not take.
RequestFacts request_facts(const Problem& problem, const SearchRequest& request);
/// A hash of these and of the version.
std::int64_t request_fingerprint(const Problem& problem, const SearchRequest& request);

}  // namespace placer
