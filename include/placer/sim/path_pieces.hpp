#pragma once

#include <cstddef>
#include <vector>

#include "placer/model/problem.hpp"
#include "placer/sim/critical_path.hpp"

namespace placer {

/// Consecutive ops of a critical path on one device and in one unit of the model, or consecutive
/// transfers from one device to another.
struct PathPiece {
  bool is_transfer = false;
  DeviceId device, to;              // `to` of transfers alone
  std::size_t unit = 0;             // the producer's, where they are transfers
  std::size_t first = 0, last = 0;  // positions in the path's steps
  Wait wait = Wait::kNothing;       // of the first
  Picoseconds begin_ps = 0, end_ps = 0;
  std::size_t count() const { return last - first + 1; }
};

/// The path, cut where device, unit or kind change. `unit_of` is by op. Each piece begins where the
/// one before it ends.
std::vector<PathPiece> path_pieces(const Problem& problem, const Schedule& schedule,
                                   const CriticalPath& path,
                                   const std::vector<std::size_t>& unit_of);

}  // namespace placer
