#pragma once

#include <vector>

#include "placer/model/problem.hpp"

namespace placer {

/// The devices of the ops that `once` (by op) leaves out, so that forward ops read from earlier
/// ones and backward ops from later ones; of several that could come next, the one of lowest id
/// does. Throws Error where there is no such order.
std::vector<DeviceId> stage_order(const Problem& problem, const Placement& placement,
                                  const std::vector<char>& once);

}  // namespace placer
