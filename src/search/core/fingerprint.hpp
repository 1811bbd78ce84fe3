#pragma once

#include <cstdint>

#include "placer/model/problem.hpp"

namespace placer {

/// A hash of all that the step times of a problem's placements depend on, and what learners see of
/// it: the groups, the contention and every field of ops, tensors, devices and links but labels.
/// Another problem has another one.
std::int64_t fingerprint(const Problem& problem);

}  // namespace placer
