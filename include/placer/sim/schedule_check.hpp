#pragma once

#include <string>

#include "placer/model/problem.hpp"
#include "placer/sim/schedule.hpp"

namespace placer {

/// One line that says where `schedule` breaks the rules of the model, or "" where it keeps them:
/// every op runs once, on the device that `placement` gives its group, for its time there, after
/// all of its inputs have come; no device runs more ops at once than it has slots; every transfer
/// takes its time over its link, after its producer has ended; each channel carries one after the
/// other, as they were served; and the step ends with the last op, where that is the objective. It
/// works from the problem alone, with nothing of the simulator's, and looks neither at the order in
/// which a device takes its ops nor at memory.
std::string broken_rule(const Problem& problem, const Placement& placement,
                        const Schedule& schedule);

/// One line that says in what a claimed score and the schedule of the plain event loop differ, or
/// what `broken_rule` says of it; "" where the claim holds.
std::string refuted_claim(const Problem& problem, const Placement& placement, const Score& claimed,
                          const Schedule& schedule);

}  // namespace placer
