#pragma once

#include <cstdint>

#include "placer/model/placement.hpp"
#include "placer/model/problem.hpp"
#include "placer/sim/schedule.hpp"
#include "placer/sim/simulator.hpp"

namespace placer::testing {

/// The rules of the simulator once more, slow and plain: what `Simulator::evaluate` must give, bit
/// for bit, schedule and score. It shares the problem's tables with the simulator and nothing else.
/// Under `given`, null `sequences` mean each device's ops by larger upward rank, then program
/// order. A deadlock gives Score::deadlock() and an otherwise unspecified schedule.
Schedule referee_schedule(const Problem& problem, Order order, const Placement& placement,
                          const Sequences* sequences = nullptr);

/// The most that `device` holds at once in a schedule whose ops, transfers and step time are known.
std::int64_t referee_peak_bytes(const Problem& problem, const Schedule& schedule, DeviceId device);

}  // namespace placer::testing
