#pragma once

#include <vector>

#include "placer/model/problem.hpp"

namespace placer {

/// For each tensor, by id, the mean of its transfer times in ps over all ordered pairs of devices
/// with a link; 0 where there is no link.
std::vector<double> mean_transfers_ps(const Problem& problem);

/// Costs in ps while no op has a device yet: for each op the mean of its times over its allowed
/// devices, for each tensor the mean over linked pairs of distinct devices.
struct MeanCosts {
  std::vector<double> op_ps;
  std::vector<double> tensor_ps;
};
MeanCosts mean_costs(const Problem& problem);

}  // namespace placer
