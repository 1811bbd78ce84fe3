#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "search/bounds/load_bound.hpp"

namespace placer {
namespace {

constexpr double kWorkScale = 0x1p40;     // the dearest price of a picosecond
constexpr double kMemoryScale = 0x1p100;  // the most that a whole memory may cost

/// Rounded up; no step is longer than the model's horizon.
Picoseconds ceil_divide(__int128 dividend, __int128 divisor) {
  constexpr __int128 kHorizon = std::numeric_limits<Picoseconds>::max() / 2;
  if (dividend <= 0) return 0;
  return static_cast<Picoseconds>(std::min((dividend + divisor - 1) / divisor, kHorizon));
}

}  // namespace

std::vector<std::int64_t> LoadBound::work_prices() const {
  const std::vector<std::int64_t> of_pools = pool_prices();
  std::vector<std::int64_t> prices;
  for (const std::uint32_t pool : pool_of_) prices.push_back(of_pools[pool]);
  return prices;
}

std::vector<double> LoadBound::costs() const {
  std::vector<double> costs;
  for (std::size_t c = 0; c < choices_.size(); ++c) {
    costs.push_back(best_.work[choices_[c].pool] * choices_[c].load);
    for (std::size_t k = 0; k < paths_.size(); ++k) {
      costs.back() += best_.path[k] * static_cast<double>(paths_[k][c]);
    }
  }
  return costs;
}

std::vector<double> LoadBound::costs_ps() const {
  const double time = std::accumulate(best_.work.begin(), best_.work.end(), 0.0) +
                      std::accumulate(best_.path.begin(), best_.path.end(), 0.0);
  std::vector<double> all = costs();
  for (std::size_t c = 0; c < choices_.size(); ++c) {
    all[c] += best_.memory[choices_[c].pool] * choices_[c].fill * best_.target_ps;
    all[c] = time > 0 ? all[c] / time : 0;
  }
  return all;
}

/// The dearest price of a picosecond.
double LoadBound::dearest_time() const {
  double dearest = 0;
  for (const double price : best_.path) dearest = std::max(dearest, price);
  for (std::size_t d = 0; d < slots_.size(); ++d) {
    dearest = std::max(dearest, best_.work[d] / static_cast<double>(slots_[d]));
  }
  return dearest;
}

std::vector<std::int64_t> LoadBound::pool_prices() const {
  const double dearest = dearest_time();
  std::vector<std::int64_t> scaled;
  for (std::size_t d = 0; d < slots_.size(); ++d) {
    const double price = best_.work[d] / static_cast<double>(slots_[d]);
    scaled.push_back(dearest > 0 ? std::llround(price / dearest * kWorkScale) : 0);
  }
  return scaled;
}

std::vector<double> LoadBound::memory_prices() const {
  const double dearest = dearest_time();
  std::vector<double> prices(slots_.size(), 0);
  for (std::size_t d = 0; d < slots_.size() && dearest > 0; ++d) {
    const double bytes = static_cast<double>(std::max<std::int64_t>(1, memory_bytes_[d]));
    prices[d] = best_.memory[d] * best_.target_ps / bytes / dearest * kWorkScale;
  }
  std::vector<double> of_devices;
  for (const std::uint32_t pool : pool_of_) of_devices.push_back(prices[pool]);
  return of_devices;
}

__int128 LoadBound::cost(const Prices& prices, std::size_t choice) const {
  const std::size_t pool = choices_[choice].pool;
  __int128 cost = static_cast<__int128>(prices.work[pool]) * exact_[choice].work_ps +
                  prices.memory[pool] * exact_[choice].bytes;
  for (std::size_t k = 0; k < paths_.size(); ++k) {
    cost += static_cast<__int128>(prices.path[k]) * paths_[k][choice];
  }
  return cost;
}

/// The bound by the best prices. Where time costs nothing, it is above 0 only if nothing fits.
Picoseconds LoadBound::exact_bound() const {
  const double dearest = dearest_time();
  double fullest = 0;
  for (const double memory : best_.memory) fullest = std::max(fullest, memory * best_.target_ps);
  const double scale = std::min(dearest > 0 ? kWorkScale / dearest : kMemoryScale,
                                fullest > 0 ? kMemoryScale / fullest : kMemoryScale);
  if (dearest > 0 && scale < kWorkScale / dearest) return 0;  // memory prices out of range
  Prices prices{pool_prices(), {}, {}};
  __int128 time = 0, room = 0;
  for (const double price : best_.path) {
    prices.path.push_back(dearest > 0 ? std::llround(price / dearest * kWorkScale) : 0);
    time += prices.path.back();
  }
  for (std::size_t d = 0; d < slots_.size(); ++d) {
    const double bytes = std::max(1.0, static_cast<double>(memory_bytes_[d]));
    prices.memory.push_back(
        static_cast<__int128>(best_.memory[d] * best_.target_ps * scale / bytes));
    time += static_cast<__int128>(prices.work[d]) * slots_[d];
    room += prices.memory[d] * memory_bytes_[d];
  }
  __int128 costs = -room;
  for (std::size_t item = 0; item < items(); ++item) {
    __int128 least = cost(prices, offsets_[item]);
    for (std::size_t c = offsets_[item]; c < offsets_[item + 1]; ++c) {
      least = std::min(least, cost(prices, c));
    }
    costs += least;
  }
  if (time == 0) return costs > 0 ? 1 : 0;
  return ceil_divide(costs, time);
}

/// Each item is somewhere.
Picoseconds LoadBound::largest_item_ps() const {
  Picoseconds largest_ps = 0;
  for (std::size_t item = 0; item < items(); ++item) {
    Picoseconds least_ps = std::numeric_limits<Picoseconds>::max();
    for (std::size_t c = offsets_[item]; c < offsets_[item + 1]; ++c) {
      const std::int64_t slots = device_slots_[choices_[c].pool];
      const Picoseconds work_ps = exact_[c].work_ps;
      least_ps = std::min(least_ps, work_ps / slots + (work_ps % slots != 0 ? 1 : 0));
    }
    largest_ps = std::max(largest_ps, least_ps);
  }
  return largest_ps;
}

}  // namespace placer
