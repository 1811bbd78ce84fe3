#pragma once

#include "placer/model/problem.hpp"

namespace placer {

/// The largest time that divides those of all ops and transfers; at least 1 ps. Every event of
/// every step happens at one of its multiples.
Picoseconds time_grain(const Problem& problem);

}  // namespace placer
