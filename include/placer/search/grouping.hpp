#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "placer/model/problem.hpp"

namespace placer {

/// Merges the problem's groups down to about `count` by contracting heavy edges under caps on work
/// and memory, so that no merged group dominates a step or a device. An edge weighs the transfer
/// time that its contraction saves less the work of its ends that could run at once. Only groups
/// with the same allowed devices merge. Returns the group of each op, 0 .. fewer, numbered by first
/// op; deterministic unless `stop`, asked between rounds, ends it early with more groups. Throws
/// Stopped when the problem's deadline has passed. After heavy-edge coarsening (Karypis, Kumar
/// 1998).
std::vector<GroupId> merge_groups(const Problem& problem, std::size_t count,
                                  const std::function<bool()>& stop = {});

}  // namespace placer
