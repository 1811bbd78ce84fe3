#pragma once

#include <vector>

#include "placer/model/problem.hpp"

namespace placer {

/// By op, whether it is a backward op behind the first stage that no other stage waits for: all
/// that reads its results, directly or through ops of its stage, runs once in a step (`once`, by
/// op). Throws Error where there are several stages and no such op.
std::vector<char> weight_gradients(const Problem& problem, const Placement& placement,
                                   const std::vector<char>& once,
                                   const std::vector<DeviceId>& stages);

}  // namespace placer
