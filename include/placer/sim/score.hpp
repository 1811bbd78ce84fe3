#pragma once

#include <compare>
#include <cstdint>
#include <limits>

#include "placer/base/units.hpp"

namespace placer {

/// Less is better, member by member: what fits beats what does not.
struct Score {
  std::int64_t overflow_bytes = 0;  // over all devices, peak above capacity
  Picoseconds step_ps = 0;

  bool fits() const { return overflow_bytes == 0; }
  /// Of sequences that never end: worse than every other.
  static Score deadlock() {
    return {std::numeric_limits<std::int64_t>::max(), std::numeric_limits<Picoseconds>::max()};
  }
  friend constexpr auto operator<=>(const Score&, const Score&) = default;
};

}  // namespace placer
