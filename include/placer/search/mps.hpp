#pragma once

#include <string>

#include "placer/model/problem.hpp"

namespace placer {

/// The mixed-integer linear program that the algorithm `milp` solves, in milliseconds, as a file in
/// free MPS format that other solvers read. Throws Error where the problem's objective is not
/// throughput, and where the program has more than 20,000,000 coefficients.
std::string throughput_mps(const Problem& problem);

}  // namespace placer
