#pragma once

#include <compare>
#include <cstdint>

#include "placer/base/units.hpp"

namespace placer {

/// What a placement is worth. Less is better. What does not fit in memory is worst, then what is
/// not as contiguous as the problem's goal asks, then the objective counts.
struct Score {
  std::int64_t overflow_bytes = 0;  // over all devices, peak above capacity
  Picoseconds step_ps = 0;      // the objective: a step time, or the time per step of a pipeline
  std::int64_t astray_ops = 0;  // that break the contiguity that is asked for

  bool fits() const { return overflow_bytes == 0 && astray_ops == 0; }
  /// The score of sequences that wait for each other and never end. It is worse than every other.
  static Score deadlock();
  /// The score of a step of which nothing but the time had to be known, as it is too long to be
  /// wanted: its memory, which was not looked at, counts as more than any device has.
  static Score too_long(Picoseconds step_ps);
  /// The longest step of a score that may be as good as this one.
  Picoseconds longest_as_good() const { return fits() ? step_ps : kAnyTime; }
  friend constexpr bool operator==(const Score&, const Score&) = default;
  friend constexpr auto operator<=>(const Score& a, const Score& b) {
    if (const auto order = a.overflow_bytes <=> b.overflow_bytes; order != 0) return order;
    if (const auto order = a.astray_ops <=> b.astray_ops; order != 0) return order;
    return a.step_ps <=> b.step_ps;
  }
};

}  // namespace placer
