#pragma once

#include <vector>

#include "placer/model/problem.hpp"
#include "search/groups/mean_costs.hpp"

namespace placer {

// Priorities of ops before any has a place; all times in ps, by OpId.

/// The upward rank of each op: the length of the longest path from its start to the end of the
/// graph (Topcuoglu, Hariri, Wu 2002).
std::vector<double> mean_upward_ranks(const Problem& problem, const MeanCosts& costs);
/// The downward rank of each op: the length of the longest path from the start of the graph to its
/// start.
std::vector<double> mean_downward_ranks(const Problem& problem, const MeanCosts& costs);
/// All ops, those of larger upward rank first and equal ones in program order. This is a
/// topological order.
std::vector<OpId> by_upward_rank(const Problem& problem, const std::vector<double>& ranks);

/// The median of each op's times over its allowed devices; where their number is even, the mean of
/// the two in the middle.
std::vector<double> median_op_ps(const Problem& problem);
/// The static level of each op: the sum of median times along the longest path from its start,
/// where transfers do not count (Sih, Lee 1993).
std::vector<double> static_levels(const Problem& problem, const std::vector<double>& median_ps);

/// The optimistic cost table (Arabnejad, Barbosa 2014), op * devices + device: the least time from
/// the op's end to the end of the graph if every op after it had a device to itself; 0 for devices
/// where the op may not go.
std::vector<double> optimistic_costs(const Problem& problem, const MeanCosts& costs);
/// The mean of each op's optimistic costs over its allowed devices.
std::vector<double> mean_optimistic_costs(const Problem& problem, const std::vector<double>& table);

/// The ops of the critical path: the first op of largest upward rank, and then always the consumer
/// to which the op before owes its rank.
std::vector<OpId> critical_path(const Problem& problem, const MeanCosts& costs,
                                const std::vector<double>& upward_ranks);
/// The device for the critical path: one where as much of it as possible may go and, among such
/// devices, the one where that takes least time.
DeviceId path_device(const Problem& problem, const std::vector<OpId>& path);

}  // namespace placer
