#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace placer {

/// Times inside are integers: equal inputs give equal bits everywhere, and ties are real ties.
using Picoseconds = std::int64_t;

inline constexpr double kPicosecondsPerSecond = 1e12;
/// Longer than every step.
inline constexpr Picoseconds kAnyTime = std::numeric_limits<Picoseconds>::max();

/// `seconds`, at most 9e6, rounded to the nearest picosecond.
inline Picoseconds to_picoseconds(double seconds) {
  return std::llround(seconds * kPicosecondsPerSecond);
}

inline double to_seconds(Picoseconds time) {
  return static_cast<double>(time) / kPicosecondsPerSecond;
}

}  // namespace placer
