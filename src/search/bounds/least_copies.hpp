#pragma once

#include <vector>

#include "placer/model/problem.hpp"

namespace placer {

/// By tensor, the least that a copy of it takes over any link; 0 where it has no bytes.
std::vector<Picoseconds> least_copies_ps(const Problem& problem);

}  // namespace placer
