#pragma once

#include <string>

#include "placer/model/problem.hpp"
#include "placer/sim/schedule.hpp"

namespace placer {

/// Chrome trace JSON (Trace Event Format, times in microseconds with all picoseconds) that
/// Perfetto, speedscope and chrome://tracing open: a named track for each device (one for each slot
/// in use) and each channel, with a begin and an end (B, E) for each op and transfer; nothing
/// overlaps on a track. Transfers without a channel get tracks by link, as many as needed. An arrow
/// (s, t, f) leads from an op through the transfer of its output to each consumer; a counter (C)
/// for each device is what its memory holds. What is on the critical path is red in
/// chrome://tracing and has `args.critical` everywhere.
std::string chrome_trace(const Problem& problem, const Schedule& schedule);

}  // namespace placer
