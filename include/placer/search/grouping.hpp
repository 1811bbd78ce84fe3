#pragma once

#include <cstddef>
#include <vector>

#include "placer/model/problem.hpp"

namespace placer {

/// Merges the problem's groups down to about `count` by contracting heavy edges (most transfer time
/// saved first) under caps on work and memory, so that no merged group dominates a step or a
/// device. Only groups with the same allowed devices merge. Returns the group of each op, 0 ..
/// fewer, numbered by first op; deterministic. Heavy-edge coarsening as in Karypis, Kumar 1998.
std::vector<GroupId> merge_groups(const Problem& problem, std::size_t count);

}  // namespace placer
