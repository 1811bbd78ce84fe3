#pragma once

#include <cstdint>
#include <string>

#include "placer/model/problem.hpp"
#include "placer/search/checkpoint.hpp"

namespace placer {

/// A hash of all that the step times of a problem's placements depend on, and of what learners see
/// of it: the groups, the contention and every field of ops, tensors, devices and links but labels.
/// Two problems that differ in any of these have different hashes, but for a chance of about one in
/// 10^18.
std::int64_t fingerprint(const Problem& problem);

/// The value of a fact of which only the hash is kept.
std::string hash_fact(std::int64_t hash);

/// How `found` differs from `expected`: "another graph, seed 1 instead of 2". Of two algorithms the
/// options that only one has are left out.
std::string differences(const RequestFacts& found, const RequestFacts& expected);

}  // namespace placer
