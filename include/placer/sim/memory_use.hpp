#pragma once

#include <cstdint>
#include <vector>

#include "placer/model/problem.hpp"
#include "placer/sim/schedule.hpp"

namespace placer {

/// What a device holds from `time_ps` on.
struct MemorySample {
  Picoseconds time_ps = 0;
  std::int64_t bytes = 0;
  friend bool operator==(const MemorySample&, const MemorySample&) = default;
};

/// By device, what it holds after each instant at which that changes, by time; the first sample is
/// that of time 0. The largest of a device's samples is the schedule's `peak_bytes`.
std::vector<std::vector<MemorySample>> memory_use(const Problem& problem, const Schedule& schedule);

}  // namespace placer
