#pragma once

#include "placer/model/problem.hpp"

namespace placer {

/// The largest time, at least 1 ps, that divides the times of all ops and transfers. Every event of
/// every step happens at a multiple of it.
Picoseconds time_grain(const Problem& problem);

/// The same for the loads of devices, which slots share out: then 1 ps.
Picoseconds load_grain(const Problem& problem);

}  // namespace placer
