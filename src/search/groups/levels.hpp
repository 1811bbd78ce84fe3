#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "placer/model/problem.hpp"

namespace placer {

/// Ever fewer groups over one graph, each a union of the groups before it. Finest first, without
/// `problem` itself; each has about `factor` times fewer groups than the one before, the last about
/// `coarsest`. Empty where `problem` has no more groups than that. `stop`, asked now and then, ends
/// the merging early. With `keep`, a placement of the problem's groups, only groups on one device
/// merge, so that every level can express it.
std::vector<Problem> coarse_levels(const Problem& problem, std::size_t coarsest, double factor,
                                   const Placement* keep = nullptr,
                                   const std::function<bool()>& stop = {});

/// `problem` with its groups tied across repeated layers: groups that look alike, with the same
/// surroundings, move together, like ones of one depth apart from each other. Empty where that
/// leaves more than half of the groups. Alike is a hash of type, costs, bytes and, in four rounds,
/// of the neighbours (Weisfeiler, Lehman 1968).
std::optional<Problem> tie_repeats(const Problem& problem);

/// By op: hops of the longest path to it.
std::vector<std::size_t> op_depths(const Graph& graph);

/// Splits groups that `placement`, of `problem`'s groups, puts on several devices.
std::vector<GroupId> split_by_device(const Problem& problem, std::vector<GroupId> group_of,
                                     const Placement& placement);

}  // namespace placer
