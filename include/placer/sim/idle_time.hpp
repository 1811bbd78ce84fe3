#pragma once

#include <vector>

#include "placer/model/problem.hpp"
#include "placer/sim/schedule.hpp"

namespace placer {

/// Where the time of a device goes, from 0 to the end of the last op; the members add up to that.
/// While none of its ops runs, a device waits for the op that it starts next, and that for the
/// input that comes last.
struct DeviceTime {
  Picoseconds busy_ps = 0;      // at least one op runs
  Picoseconds producer_ps = 0;  // the op that makes the input, elsewhere, has not ended
  Picoseconds channel_ps = 0;   // the input waits for a channel
  Picoseconds transfer_ps = 0;  // the input is on its way
  Picoseconds order_ps = 0;     // all inputs are there; another op's turn came first
  Picoseconds done_ps = 0;      // nothing is left to run here
  friend bool operator==(const DeviceTime&, const DeviceTime&) = default;
};

/// By device.
std::vector<DeviceTime> device_times(const Problem& problem, const Schedule& schedule);

}  // namespace placer
