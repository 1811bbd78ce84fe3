#pragma once

#include <vector>

#include "placer/model/problem.hpp"

namespace placer {

/// All groups, in an order in which giving them devices soon tells bad placements apart: next comes
/// the group whose work and whose transfers from and to those before it take longest.
std::vector<GroupId> branching_order(const Problem& problem);

}  // namespace placer
