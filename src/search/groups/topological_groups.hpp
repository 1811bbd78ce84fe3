#pragma once

#include <vector>

#include "placer/model/problem.hpp"

namespace placer {

/// The groups by their first op in program order.
std::vector<GroupId> topological_groups(const Problem& problem);

}  // namespace placer
