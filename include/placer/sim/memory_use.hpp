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

/// What a device holds bytes for.
struct HeldAtPeak {
  Picoseconds time_ps = 0;       // when
  std::int64_t parameters = 0;   // of its ops
  std::int64_t kept = 0;         // outputs marked `keep`
  std::int64_t activations = 0;  // other outputs of its ops
  std::int64_t received = 0;     // copies from other devices
  std::int64_t temporary = 0;    // of the ops that run
  std::int64_t total() const { return parameters + kept + activations + received + temporary; }
  friend bool operator==(const HeldAtPeak&, const HeldAtPeak&) = default;
};

/// By device, what it holds at the first instant of its peak.
std::vector<HeldAtPeak> held_at_peak(const Problem& problem, const Schedule& schedule);

}  // namespace placer
