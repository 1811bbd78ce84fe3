#pragma once

#include "placer/model/problem.hpp"

namespace placer {

/// Lower bounds on the step time of every placement, under every order, contention and memory
/// limit.
struct LowerBounds {
  Picoseconds path_ps = 0;         // B1: critical path of fastest times, no transfers
  Picoseconds device_path_ps = 0;  // B2: critical path that pays for changing devices
  Picoseconds load_ps = 0;         // B4: fractional assignment of work to devices and slots
  Picoseconds best_ps() const;     // the largest
};

LowerBounds lower_bounds(const Problem& problem);

}  // namespace placer
