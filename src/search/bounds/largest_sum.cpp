#include "search/bounds/largest_sum.hpp"

#include <algorithm>
#include <bitset>
#include <numeric>

namespace placer {

std::int64_t largest_sum(std::vector<std::int64_t> sizes, std::int64_t most) {
  constexpr std::size_t kUnits = std::size_t{1} << 16, kMostBatches = 1'000;
  std::erase_if(sizes, [&](std::int64_t size) { return size > most || size == 0; });
  const double all = std::accumulate(sizes.begin(), sizes.end(), 0.0);
  if (all <= static_cast<double>(most)) return static_cast<std::int64_t>(all);
  const std::int64_t unit = most / static_cast<std::int64_t>(kUnits) + 1;
  std::ranges::sort(sizes);
  std::bitset<kUnits + 1> sums(1);
  std::size_t batches = 0;  // of equal sizes; each is rounded down to units, by less than one
  for (auto begin = sizes.begin(); begin != sizes.end();) {
    const auto end = std::ranges::upper_bound(begin, sizes.end(), *begin);
    std::int64_t left = std::min<std::int64_t>(end - begin, most / *begin);
    for (std::int64_t count = 1; left > 0; count *= 2) {
      const std::int64_t taken = std::min(count, left);
      sums |= sums << static_cast<std::size_t>(taken * *begin / unit);
      left -= taken;
      if (++batches > kMostBatches) return most;
    }
    begin = end;
  }
  auto largest = static_cast<std::size_t>(most / unit);
  while (!sums[largest]) --largest;
  return std::min(most, static_cast<std::int64_t>(largest + batches) * unit);
}

std::int64_t parts_of(std::int64_t size, std::int64_t whole, std::int64_t parts) {
  if (size == 0) return 0;
  const __int128 scaled = static_cast<__int128>(size) * (parts + 1);
  return static_cast<std::int64_t>((scaled + whole - 1) / whole) - 1;
}

}  // namespace placer
