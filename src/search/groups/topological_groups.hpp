#pragma once

#include <vector>

#include "placer/model/problem.hpp"

namespace placer {

/// All groups, in the order of their first ops in the program order.
std::vector<GroupId> topological_groups(const Problem& problem);

}  // namespace placer
