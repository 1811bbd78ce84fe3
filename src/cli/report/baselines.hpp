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
  bool beats_by_memory = false;  // of the fastest that fits: another is faster, but does not fit
};

/// What everything takes on one device, for each device where every op may go, in id order. These
/// simulations are for the report and do not count as evaluations.
std::vector<SingleDevice> single_devices(const Problem& problem, Order order);

/// The fastest of these that fits.
std::optional<SingleDevice> best_single_device(const Problem& problem, Order order);

}  // namespace placer
