#pragma once

#include <string>

#include "placer/model/problem.hpp"
#include "placer/sim/schedule.hpp"

namespace placer {

/// Chrome trace JSON (Trace Event Format, complete events, times in microseconds) that Perfetto and
/// chrome://tracing open: a named track for each device (one for each slot in use) and each
/// channel; nothing overlaps on a track. Transfers without a channel get tracks by link, as many as
/// needed.
std::string chrome_trace(const Problem& problem, const Schedule& schedule);

}  // namespace placer
