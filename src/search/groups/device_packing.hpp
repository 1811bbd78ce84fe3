#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "placer/model/problem.hpp"

namespace placer {

/// Devices on which no more than the memory is held when each group holds `bytes`, near `wish`: the
/// largest groups stay first. By depth-first search, exhaustive up to 100,000 steps; empty where it
/// found none.
std::optional<Placement> fitting_devices(const Problem& problem,
                                         const std::vector<std::int64_t>& bytes,
                                         const Placement& wish);

/// Those whose time for all ops, or for those that may go there, is at most twice the least; in id
/// order.
std::vector<DeviceId> fast_devices(const Problem& problem);

}  // namespace placer
