#include "sim/radix.hpp"

#include <array>
#include <utility>

namespace placer {

std::span<std::uint64_t> radix_sort(std::span<std::uint64_t> keys, std::span<std::uint64_t> scratch,
                                    int low_bit, int end_bit) {
  constexpr int kDigitBits = 8;
  constexpr std::uint64_t kDigitMask = (1U << kDigitBits) - 1;
  for (int shift = low_bit; shift < end_bit; shift += kDigitBits) {
    std::array<std::uint32_t, kDigitMask + 1> first{};
    for (const std::uint64_t key : keys) ++first[key >> shift & kDigitMask];
    std::uint32_t sum = 0;
    for (std::uint32_t& at : first) sum += std::exchange(at, sum);
    for (const std::uint64_t key : keys) scratch[first[key >> shift & kDigitMask]++] = key;
    std::swap(keys, scratch);
  }
  return keys;
}

}  // namespace placer
