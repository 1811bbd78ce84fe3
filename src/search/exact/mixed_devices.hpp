#pragma once

#include <vector>

#include "placer/model/problem.hpp"

namespace placer {

/// stage_devices, with the kinds that are nearly as fast as the fastest in one row, by id; empty
/// where that is one kind, or some group may not go everywhere.
std::vector<std::vector<DeviceId>> mixed_devices(const Problem& problem);

/// Of each row the slowest device and, of several, that with the least memory.
std::vector<DeviceId> slowest_of_each(const Problem& problem,
                                      const std::vector<std::vector<DeviceId>>& devices);

}  // namespace placer
