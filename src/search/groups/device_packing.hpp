#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "placer/model/problem.hpp"

namespace placer {

/// A placement near `wish` in which no device holds more than its memory, when each group holds its
/// `bytes`. The largest groups are the first to get the device that they wish for. It is found by a
/// depth-first search, which is exhaustive up to 100,000 steps; empty where none was found.
std::optional<Placement> fitting_devices(const Problem& problem,
                                         const std::vector<std::int64_t>& bytes,
                                         const Placement& wish);

/// The devices on which all ops, or those that may go there, take at most twice as long as on the
/// fastest, in id order.
std::vector<DeviceId> fast_devices(const Problem& problem);

}  // namespace placer
