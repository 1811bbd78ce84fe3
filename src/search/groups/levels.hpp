#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "placer/model/problem.hpp"

namespace placer {

/// Problems over the same graph with ever fewer groups, the levels of a multilevel search. Each
/// group is a union of groups of the level before. The finest comes first, without `problem`
/// itself; each has about `factor` times fewer groups than the one before, and the last about
/// `coarsest`. Empty where `problem` has no more groups than that. `stop` is asked now and then and
/// may end the merging early. With `keep`, a placement of the problem's groups, only groups on one
/// device merge, so that every level can express it.
std::vector<Problem> coarse_levels(const Problem& problem, std::size_t coarsest, double factor,
                                   const Placement* keep = nullptr,
                                   const std::function<bool()>& stop = {});

/// The group of each op, where those groups of `group_of` are split whose ops `placement`, of
/// `problem`'s groups, has on several devices.
std::vector<GroupId> split_by_device(const Problem& problem, std::vector<GroupId> group_of,
                                     const Placement& placement);

}  // namespace placer
