#pragma once

#include <functional>
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

/// What everything takes on one device, for each device of the simulator's problem where every op
/// may go, in id order. These simulations are for the report and do not count as evaluations.
std::vector<SingleDevice> single_devices(Simulator& simulator);

/// What `score_of` says of everything on one device, for each device where every op may go, in id
/// order; devices of a kind are asked for once.
std::vector<SingleDevice> single_devices(const Problem& problem,
                                         const std::function<Score(const Placement&)>& score_of);

/// The fastest of `rows` that fits.
std::optional<SingleDevice> best_that_fits(const std::vector<SingleDevice>& rows);

/// The fastest single device that fits.
std::optional<SingleDevice> best_single_device(const Problem& problem, Order order);

}  // namespace placer
