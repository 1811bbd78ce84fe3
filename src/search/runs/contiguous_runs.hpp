#pragma once

#include <vector>

#include "placer/model/problem.hpp"

namespace placer {

/// Placements for memory so tight that a chain of layers needs many devices. Groups in program
/// order are cut into runs, each of which has a device of its own and holds at most a share of its
/// memory, as if ops ran in program order. Of all such placements the one whose work and transfers,
/// one after the other, take least, by dynamic programming over where runs end and how many devices
/// of each kind they have taken; for several shares, as ops may run out of that order. None where
/// the table would be too large. Throws Stopped when the problem's deadline has passed.
std::vector<Placement> contiguous_runs(const Problem& problem);

}  // namespace placer
