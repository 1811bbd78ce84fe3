#pragma once

#include <bit>
#include <cstdint>
#include <span>

namespace placer {

/// Whether `value`, not negative, fits in a 64-bit key above `low_bits` bits.
inline bool fits_above(int low_bits, std::int64_t value) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(value))) + low_bits <= 64;
}

/// Sorts `keys` by their bits from `low_bit` to `end_bit`, ties as they were. `scratch` is as long;
/// the result is in the one that is returned.
std::span<std::uint64_t> radix_sort(std::span<std::uint64_t> keys, std::span<std::uint64_t> scratch,
                                    int low_bit, int end_bit);

}  // namespace placer
