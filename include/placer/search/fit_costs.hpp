#pragma once

#include <span>
#include <string>
#include <vector>

#include "placer/model/placement.hpp"
#include "placer/model/problem.hpp"
#include "placer/model/topology.hpp"
#include "placer/sim/simulator.hpp"

namespace placer {

/// What a step really took.
struct MeasuredStep {
  Placement placement;  // of the problem's groups
  OpOrder order;        // as Simulator takes it
  double seconds = 0;   // above 0
};

/// By how much a number of the devices is multiplied.
struct CostFactor {
  std::string what;  // "efficiency of cpu", "bandwidth of core -> core"
  double factor = 1;
};

struct CostFit {
  Topology topology;  // the problem's devices with the factors
  std::vector<CostFactor> factors;
  /// Root of the mean squared logarithm of predicted over measured seconds, steps that are alike
  /// counted as one.
  double error_before = 0, error_after = 0;
  /// The same of steps that a fit has not seen: each predicted by a fit to those it is not like.
  double error_left_out = 0;
};

/// The problem with other numbers of its devices and links.
Problem with_topology(const Problem& problem, const Topology& topology);

/// Brings what is predicted of `steps` to what was measured: for each type of device its efficiency
/// and launch time, for links of the same numbers their bandwidth and latency, each multiplied by a
/// factor; where there are as many steps as devices, and it predicts better, also the efficiency of
/// each device that is not alone of its type. The factors' logarithms are those of least squares:
/// the logarithms of predicted over measured seconds, with a weight of the factors' own that keeps
/// at 1 what the steps say nothing of (ridge regression: Hoerl and Kennard 1970). Of several such
/// weights, and of no fit at all, the one counts by which steps that are left out are predicted
/// best (the PRESS statistic: Allen 1974). Steps that have 70 % of their groups on the same devices
/// count together as one step and are left out together: many that are alike, as the best of a
/// search are, do not move what they do not show. Found by Gauss-Newton with damping (Levenberg
/// 1944) from several starts, of which the least squares count: a link that is hidden behind work
/// shows no slope. An efficiency above 1 becomes 1, and the peaks are raised instead. Ops with
/// seconds of their own keep them. Steps that do not fit or deadlock as predicted count as well,
/// but those that take no time do not.
CostFit fit_costs(const Problem& problem, Order order, std::span<const MeasuredStep> steps);

}  // namespace placer
