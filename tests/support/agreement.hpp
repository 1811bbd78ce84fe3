#pragma once

#include "placer/model/placement.hpp"
#include "placer/model/problem.hpp"
#include "placer/sim/schedule.hpp"
#include "placer/sim/simulator.hpp"

namespace placer::testing {

/// The schedule of the simulator, after REQUIREing that its score without a schedule, its score
/// with one and the referee's all agree, and that its schedule is the referee's to the last bit.
Schedule agreed_schedule(Simulator& simulator, const Placement& placement,
                         const Sequences* sequences = nullptr);
/// The same with a new simulator.
Schedule agreed_schedule(const Problem& problem, Order order, const Placement& placement,
                         const Sequences* sequences = nullptr);

}  // namespace placer::testing
