#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>

namespace placer {

/// Whether `value`, not negative, fits in a 64-bit key above `low_bits` bits.
inline bool fits_above(int low_bits, std::int64_t value) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(value))) + low_bits <= 64;
}

/// Sorts `items` by the bits `low_bit` to `end_bit` of `key_of(item)`; equal ones stay as they
/// were. `scratch` is as long as `items`. Returns whichever of the two holds the result.
template <class Item, class KeyOf>
std::span<Item> radix_sort(std::span<Item> items, std::span<Item> scratch, int low_bit, int end_bit,
                           KeyOf key_of) {
  constexpr int kMostDigitBits = 11;
  const int digit_bits = items.size() < 4096 ? 8 : kMostDigitBits;
  const std::uint64_t mask = (std::uint64_t{1} << digit_bits) - 1;
  for (int shift = low_bit; shift < end_bit; shift += digit_bits) {
    std::array<std::uint32_t, 1U << kMostDigitBits> first;
    std::fill_n(first.begin(), mask + 1, 0);
    for (const Item& item : items) ++first[key_of(item) >> shift & mask];
    std::uint32_t sum = 0;
    for (std::size_t digit = 0; digit <= mask; ++digit) sum += std::exchange(first[digit], sum);
    for (const Item& item : items) scratch[first[key_of(item) >> shift & mask]++] = item;
    std::swap(items, scratch);
  }
  return items;
}

}  // namespace placer
