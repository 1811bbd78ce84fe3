#pragma once

#include <compare>
#include <cstdint>
#include <limits>

#include "placer/base/units.hpp"

namespace placer {

/// What a placement is worth. Less is better, and the overflow is compared first: what fits beats
/// what does not.
struct Score {
  std::int64_t overflow_bytes = 0;  // over all devices, peak above capacity
  Picoseconds step_ps = 0;

  bool fits() const { return overflow_bytes == 0; }
  /// The score of sequences that wait for each other and never end. It is worse than every other.
  static Score deadlock() {
    return {std::numeric_limits<std::int64_t>::max(), std::numeric_limits<Picoseconds>::max()};
  }
  friend constexpr auto operator<=>(const Score&, const Score&) = default;
};

}  // namespace placer
