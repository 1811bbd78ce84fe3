#pragma once

#include <string>

#include "placer/model/problem.hpp"

namespace placer {

/// Why no placement keeps to the contiguity that the problem's goal asks for, given where its ops
/// may go: one line that names two or three of them. "" where nothing was found that says so; under
/// `stages` in any order that proves nothing where ops may go to several devices. Takes time in
/// proportion to the graph, under `contiguous` once for each 64 devices that have ops of their own.
/// Throws Stopped when the problem's deadline has passed.
std::string goal_conflict(const Problem& problem);

}  // namespace placer
