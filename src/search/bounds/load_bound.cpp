#include "search/bounds/load_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "placer/base/real.hpp"

namespace placer {
namespace {

constexpr double kWorkScale = 0x1p40;     // the dearest price of work
constexpr double kMemoryScale = 0x1p100;  // the most that a whole memory may cost
constexpr double kAmpleTime = 1e25;       // for work that does not matter
constexpr std::size_t kMostApart = 64;    // devices
constexpr std::int64_t kMostMemory = 2'000'000'000'000'000'000;  // of a pool, in bytes
constexpr std::size_t kMostSampled = 65'536;  // items that prices are looked for with

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

double largest(const std::vector<double>& values) { return *std::ranges::max_element(values); }

/// Rounded up; no step is longer than the model's horizon.
Picoseconds ceil_divide(__int128 dividend, __int128 divisor) {
  constexpr __int128 kHorizon = std::numeric_limits<Picoseconds>::max() / 2;
  if (dividend <= 0) return 0;
  return static_cast<Picoseconds>(std::min((dividend + divisor - 1) / divisor, kHorizon));
}

}  // namespace

LoadBound::LoadBound(const Problem& problem) : deadline_(problem.deadline()) {
  std::vector<std::optional<std::uint32_t>> pool_of_kind(problem.device_count());
  for (const DeviceId id : IdRange<DeviceId>(problem.device_count())) {
    const Device& device = problem.topology().device(id);
    std::optional<std::uint32_t> own;
    std::optional<std::uint32_t>& pool =
        problem.device_count() > kMostApart ? pool_of_kind[problem.costs().kind(id)] : own;
    if (!pool) {
      pool = static_cast<std::uint32_t>(firsts_.size());
      firsts_.push_back(id);
      slots_.push_back(0);
      memory_bytes_.push_back(0);
      device_slots_.push_back(device.slots);
    }
    pool_of_.push_back(*pool);
    slots_[*pool] += device.slots;
    memory_bytes_[*pool] += std::min(device.memory_bytes, kMostMemory - memory_bytes_[*pool]);
  }
  loads_.assign(firsts_.size(), 0);
  fills_.assign(firsts_.size(), 0);
}

void LoadBound::add_choice(DeviceId device, Picoseconds work_ps, std::int64_t bytes) {
  const std::uint32_t pool = pool_of_[device.index()];
  if (firsts_[pool] != device) return;
  const auto memory = static_cast<double>(std::max<std::int64_t>(1, memory_bytes_[pool]));
  choices_.push_back({pool, static_cast<double>(work_ps) / static_cast<double>(slots_[pool]),
                      static_cast<double>(bytes) / memory});
  exact_.push_back({work_ps, bytes});
}

void LoadBound::end_item() { offsets_.push_back(choices_.size()); }

LoadBound::Weights LoadBound::equal_loads() const {
  std::vector<double> totals(slots_.size(), 0);
  for (const Choice& choice : choices_) totals[choice.pool] += choice.load;
  Weights weights{std::vector<double>(slots_.size(), 0), std::vector<double>(slots_.size(), 0)};
  for (std::size_t d = 0; d < totals.size(); ++d) {
    if (totals[d] > 0) weights.work[d] = 1 / totals[d];
  }
  const double all = sum(weights.work);
  for (double& weight : weights.work) weight = all > 0 ? weight / all : 0;
  return weights;
}

/// Where there are very many items, every n-th stands for n of them: prices need not be the best,
/// and the bound is worked out with all. Together in memory, as prices are looked for in hundreds
/// of passes.
void LoadBound::draw_sample() {
  sample_offsets_ = {0};
  const std::size_t step = (items() + kMostSampled - 1) / kMostSampled;
  for (std::size_t item = 0; item < items(); item += step) {
    sample_.insert(sample_.end(), choices_.begin() + static_cast<std::ptrdiff_t>(offsets_[item]),
                   choices_.begin() + static_cast<std::ptrdiff_t>(offsets_[item + 1]));
    sample_offsets_.push_back(sample_.size());
  }
}

/// Sends each item where it costs least; returns the sum of the costs.
double LoadBound::assign(const Weights& weights) {
  if (items() > kMostSampled && sample_.empty()) draw_sample();
  const std::vector<Choice>& choices = sample_.empty() ? choices_ : sample_;
  const std::vector<std::size_t>& offsets = sample_.empty() ? offsets_ : sample_offsets_;
  std::ranges::fill(loads_, 0);
  std::ranges::fill(fills_, 0);
  std::vector<double> work = weights.work;
  for (double& price : work) price /= weights.target_ps;
  double costs = 0;
  for (std::size_t item = 0; item + 1 < offsets.size(); ++item) {
    std::size_t cheapest = offsets[item];
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t c = offsets[item]; c < offsets[item + 1]; ++c) {
      const Choice& choice = choices[c];
      const double cost =
          work[choice.pool] * choice.load + weights.memory[choice.pool] * choice.fill;
      cheapest = cost < least ? c : cheapest;  // both without a branch: it would be a guess
      least = cost < least ? cost : least;
    }
    costs += least;
    const Choice& choice = choices[cheapest];
    loads_[choice.pool] += choice.load;
    fills_[choice.pool] += choice.fill;
  }
  if (sample_.empty()) return costs;
  const auto weight = static_cast<double>(items()) / static_cast<double>(offsets.size() - 1);
  for (std::size_t d = 0; d < loads_.size(); ++d) {
    loads_[d] *= weight;
    fills_[d] *= weight;
  }
  return costs * weight;
}

/// Makes full devices dearer.
void LoadBound::reweigh(Weights& weights, double rate) const {
  const double most = std::max(largest(loads_) / weights.target_ps, largest(fills_));
  for (std::size_t d = 0; d < slots_.size(); ++d) {
    weights.work[d] *= portable_exp(rate * loads_[d] / weights.target_ps / most);
    weights.memory[d] *= portable_exp(rate * fills_[d] / most);
  }
  const double all = sum(weights.work) + sum(weights.memory);
  for (double& weight : weights.work) weight /= all;
  for (double& weight : weights.memory) weight /= all;
}

/// Keeps in `best_` the prices with the largest bound. Once a bound passes the
/// target, it becomes the target.
void LoadBound::improve(Weights& weights, int steps) {
  constexpr double kDecay =
      0.97;  // of the rate; the worst gap to the linear program seen is 0.005 %
  const bool in_memory = sum(weights.memory) > 0;
  double best_ps = 0;
  best_ = weights;
  double rate = 1;
  for (int step = 0; step < steps && !(step > 0 && deadline_.passed()); ++step, rate *= kDecay) {
    const double costs = assign(weights);
    const double work = sum(weights.work);
    const double found_ps = work > 0 ? weights.target_ps * (costs - sum(weights.memory)) / work : 0;
    if (found_ps > best_ps) {
      best_ps = found_ps;
      best_ = weights;
    }
    if (std::max(largest(loads_), largest(fills_)) == 0) break;
    if (in_memory) weights.target_ps = std::max(weights.target_ps, best_ps);
    reweigh(weights, rate);
  }
}

Picoseconds LoadBound::bound(int steps) {
  Weights weights = first_.work.empty() ? equal_loads() : first_;
  improve(weights, steps);
  return std::max(exact_bound(), largest_item_ps());
}

std::optional<Picoseconds> LoadBound::bound_in_memory(int steps, Picoseconds known_ps) {
  const Weights of_work = best_;
  if (overfull(steps / 3)) return std::nullopt;
  Weights weights = of_work;
  weights.target_ps = std::max(1.0, static_cast<double>(known_ps));
  for (double& weight : weights.work) weight *= 0.5;
  const double share = 0.5 / static_cast<double>(slots_.size());
  std::ranges::fill(weights.memory, share);
  improve(weights, steps);
  return std::max(known_ps, exact_bound());
}

/// True where prices of memory alone show that not even fractions fit.
bool LoadBound::overfull(int steps) {
  Weights weights{std::vector<double>(slots_.size(), 0),
                  std::vector<double>(slots_.size(), 1.0 / static_cast<double>(slots_.size()))};
  weights.target_ps = kAmpleTime;
  double rate = 1;
  for (int step = 0; step < steps && !deadline_.passed(); ++step, rate *= 0.9) {
    if (assign(weights) > 1 + 1e-9) {
      best_ = weights;
      return exact_bound() > 0;
    }
    if (largest(fills_) <= 1) return false;
    reweigh(weights, rate);
  }
  return false;
}

std::vector<std::int64_t> LoadBound::work_prices() const {
  const std::vector<std::int64_t> of_pools = pool_prices();
  std::vector<std::int64_t> prices;
  for (const std::uint32_t pool : pool_of_) prices.push_back(of_pools[pool]);
  return prices;
}

std::vector<std::int64_t> LoadBound::pool_prices() const {
  std::vector<double> prices;
  for (std::size_t d = 0; d < slots_.size(); ++d) {
    prices.push_back(best_.work[d] / static_cast<double>(slots_[d]));
  }
  const double dearest = largest(prices);
  std::vector<std::int64_t> scaled;
  for (const double price : prices) {
    scaled.push_back(dearest > 0 ? std::llround(price / dearest * kWorkScale) : 0);
  }
  return scaled;
}

std::vector<double> LoadBound::memory_prices() const {
  double dearest = 0;
  for (std::size_t d = 0; d < slots_.size(); ++d) {
    dearest = std::max(dearest, best_.work[d] / static_cast<double>(slots_[d]));
  }
  std::vector<double> prices(slots_.size(), 0);
  for (std::size_t d = 0; d < slots_.size() && dearest > 0; ++d) {
    const double bytes = static_cast<double>(std::max<std::int64_t>(1, memory_bytes_[d]));
    prices[d] = best_.memory[d] * best_.target_ps / bytes / dearest * kWorkScale;
  }
  std::vector<double> of_devices;
  for (const std::uint32_t pool : pool_of_) of_devices.push_back(prices[pool]);
  return of_devices;
}

/// The bound by the best prices. Where work costs nothing, it is above 0 only if nothing fits.
Picoseconds LoadBound::exact_bound() const {
  const std::vector<std::int64_t> work = pool_prices();
  std::vector<double> prices;  // of a picosecond, then of a byte, in one unit
  double dearest = 0, fullest = 0;
  for (std::size_t d = 0; d < slots_.size(); ++d) {
    dearest = std::max(dearest, best_.work[d] / static_cast<double>(slots_[d]));
    fullest = std::max(fullest, best_.memory[d] * best_.target_ps);
  }
  const double scale = std::min(dearest > 0 ? kWorkScale / dearest : kMemoryScale,
                                fullest > 0 ? kMemoryScale / fullest : kMemoryScale);
  if (dearest > 0 && scale < kWorkScale / dearest) return 0;  // memory prices out of range
  std::vector<__int128> memory;
  __int128 slots = 0, room = 0;
  for (std::size_t d = 0; d < slots_.size(); ++d) {
    const double bytes = std::max(1.0, static_cast<double>(memory_bytes_[d]));
    memory.push_back(static_cast<__int128>(best_.memory[d] * best_.target_ps * scale / bytes));
    slots += static_cast<__int128>(work[d]) * slots_[d];
    room += memory[d] * memory_bytes_[d];
  }
  const auto cost = [&](std::size_t c) {
    const std::size_t pool = choices_[c].pool;
    return static_cast<__int128>(work[pool]) * exact_[c].work_ps + memory[pool] * exact_[c].bytes;
  };
  __int128 costs = -room;
  for (std::size_t item = 0; item < items(); ++item) {
    __int128 least = cost(offsets_[item]);
    for (std::size_t c = offsets_[item]; c < offsets_[item + 1]; ++c) {
      least = std::min(least, cost(c));
    }
    costs += least;
  }
  if (slots == 0) return costs > 0 ? 1 : 0;
  return ceil_divide(costs, slots);
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
