#pragma once

#include <cstdint>

#include "placer/model/problem.hpp"

namespace placer {

/// A hash of all that the step times of a problem's placements depend on, so that another problem
/// has another fingerprint.
std::int64_t fingerprint(const Problem& problem);

}  // namespace placer
