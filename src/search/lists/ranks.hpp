#pragma once

#include <vector>

#include "placer/model/problem.hpp"
#include "search/groups/mean_costs.hpp"

namespace placer {

// Priorities of ops before any has a place; all times in ps, by OpId.

/// Length of the longest path from the op's start to the end of the graph (Topcuoglu, Hariri, Wu
/// 2002).
std::vector<double> mean_upward_ranks(const Problem& problem, const MeanCosts& costs);
/// Length of the longest path from the start of the graph to the op's start.
std::vector<double> mean_downward_ranks(const Problem& problem, const MeanCosts& costs);
/// By larger upward rank, then program order; a topological order.
std::vector<OpId> by_upward_rank(const Problem& problem, const std::vector<double>& ranks);

/// Of each op the median time over its allowed devices, the mean of the two in the middle.
std::vector<double> median_op_ps(const Problem& problem);
/// Sum of median times along the longest path from the op's start, transfers not counted (Sih, Lee
/// 1993).
std::vector<double> static_levels(const Problem& problem, const std::vector<double>& median_ps);

/// The optimistic cost table (Arabnejad, Barbosa 2014), op * devices + device: the least time from
/// the op's end to the end of the graph if every op after it had a device to itself; 0 for devices
/// where the op may not go.
std::vector<double> optimistic_costs(const Problem& problem, const MeanCosts& costs);
/// Mean of an op's optimistic costs over its allowed devices.
std::vector<double> mean_optimistic_costs(const Problem& problem, const std::vector<double>& table);

/// From the first op of largest upward rank on, always the consumer that the rank is due to.
std::vector<OpId> critical_path(const Problem& problem, const MeanCosts& costs,
                                const std::vector<double>& upward_ranks);
/// Where most of the path may go and, of these devices, where that takes least time.
DeviceId path_device(const Problem& problem, const std::vector<OpId>& path);

}  // namespace placer
