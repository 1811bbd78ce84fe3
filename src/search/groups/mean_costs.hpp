#pragma once

#include <vector>

#include "placer/model/problem.hpp"

namespace placer {

/// By TensorId, in ps: the mean transfer time over all ordered pairs of devices with a link; 0
/// without any.
std::vector<double> mean_transfers_ps(const Problem& problem);

/// Costs where no device is known yet, in ps: of each op the mean over its allowed devices, of each
/// tensor the mean over linked pairs of distinct devices.
struct MeanCosts {
  std::vector<double> op_ps;
  std::vector<double> tensor_ps;
};
MeanCosts mean_costs(const Problem& problem);

}  // namespace placer
