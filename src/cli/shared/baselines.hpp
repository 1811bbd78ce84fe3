#pragma once

#include <optional>
#include <vector>

#include "placer/model/problem.hpp"
#include "placer/sim/simulator.hpp"

namespace placer {

/// Every op on one device.
struct SingleDevice {
  DeviceId device;
  Score score;
};

/// One for each device that may hold every op, in id order. Not counted as evaluations: this
/// reports.
std::vector<SingleDevice> single_devices(const Problem& problem, Order order);

/// The fastest one that fits.
std::optional<SingleDevice> best_single_device(const Problem& problem, Order order);

}  // namespace placer
