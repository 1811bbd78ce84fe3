#include "search/bounds/run_prices.hpp"

#include <algorithm>
#include <limits>

namespace placer {
namespace {

constexpr int kPriceSteps = 40;     // of looking for prices
constexpr double kReach = 1.1;      // of the limit: how much the steps aim at
constexpr double kRounding = 1e-9;  // of all sums, more than their errors
constexpr double kNowhere = std::numeric_limits<double>::infinity();

}  // namespace

RunPrices::RunPrices(const Problem& problem, const MemoryFit& fit, const DeviceKinds& kinds,
                     const std::vector<GroupId>& chain)
    : kinds_(kinds.firsts().size()),
      links_(chain.size()),
      memory_bytes_(kinds_),
      slots_(kinds_),
      prices_ps_(2 * kinds_),
      used_(2 * kinds_) {
  for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
    const std::size_t kind = kinds.columns().of[device.index()];
    const Device& of = problem.topology().device(device);
    constexpr std::int64_t kMost = std::int64_t{1} << 56;
    memory_bytes_[kind] = std::min(kMost, memory_bytes_[kind] + std::min(kMost, of.memory_bytes));
    slots_[kind] += of.slots;
  }
  std::vector<GroupId> groups = chain;
  std::vector<bool> is_link(problem.groups().size());
  for (const GroupId group : chain) is_link[group.index()] = true;
  for (const GroupId group : IdRange<GroupId>(problem.groups().size())) {
    if (!is_link[group.index()]) groups.push_back(group);
  }
  for (const GroupId group : groups) {
    auto& bytes = bytes_.emplace_back(kinds_, -1);
    auto& work_ps = work_ps_.emplace_back(kinds_, -1);
    for (std::size_t kind = 0; kind < kinds_; ++kind) {
      const DeviceId device = kinds.firsts()[kind];
      if (!fit.may_go(group, device)) continue;
      bytes[kind] = fit.memory(group, device).kept_bytes;
      work_ps[kind] = problem.group_ps(group, device);
    }
  }
}

bool RunPrices::refute(const std::vector<Run>& runs, const Crossings& crossings_ps,
                       Picoseconds limit_ps) {
  const auto limit = static_cast<double>(limit_ps);
  limit_ps_ = limit;
  std::vector<double> best = prices_ps_;
  double most_ps = -kNowhere;
  for (int step = 0; step < kPriceSteps; ++step) {
    std::ranges::fill(used_, 0);
    double paid_ps = 0;
    for (const double price_ps : prices_ps_) paid_ps += price_ps;
    const double least_ps = chain_ps(runs, crossings_ps) + beside_ps() - paid_ps;
    if (least_ps > most_ps) {
      most_ps = least_ps;
      best = prices_ps_;
    }
    if (least_ps > limit + kRounding * (limit + paid_ps)) break;
    double square = 0;
    for (std::size_t at = 0; at < used_.size(); ++at) {
      const double more = used_[at] - 1;
      if (more > 0 || prices_ps_[at] > 0) square += more * more;
    }
    if (square <= 0) break;
    const double length = (kReach * limit - least_ps) / square;  // Polyak
    for (std::size_t at = 0; at < used_.size(); ++at) {
      prices_ps_[at] = std::max(0.0, prices_ps_[at] + length * (used_[at] - 1));
    }
  }
  prices_ps_ = best;
  double paid_ps = 0;
  for (const double price_ps : prices_ps_) paid_ps += price_ps;
  return most_ps > limit + kRounding * (limit + paid_ps);
}

double RunPrices::price_ps(std::size_t group, std::size_t kind) const {
  return prices_ps_[2 * kind + kMemory] * share(group, kind, kMemory) +
         prices_ps_[2 * kind + kWork] * share(group, kind, kWork);
}

/// What the group takes on the kind of all memory there, or of all time up to the limit.
double RunPrices::share(std::size_t group, std::size_t kind, std::size_t resource) const {
  if (resource == kWork) {
    return static_cast<double>(work_ps_[group][kind]) /
           (static_cast<double>(slots_[kind]) * limit_ps_);
  }
  const std::int64_t all_bytes = memory_bytes_[kind];
  return all_bytes > 0 ? static_cast<double>(bytes_[group][kind]) / static_cast<double>(all_bytes)
                       : 0;
}

void RunPrices::use(std::size_t group, std::size_t kind) {
  used_[2 * kind + kMemory] += share(group, kind, kMemory);
  used_[2 * kind + kWork] += share(group, kind, kWork);
}

double RunPrices::chain_ps(const std::vector<Run>& runs, const Crossings& crossings_ps) {
  // By link, and kind of the device of its run or, of `onward`, of the link before it.
  std::vector<std::vector<double>> within(links_, std::vector<double>(kinds_, kNowhere));
  std::vector<std::vector<double>> onward(links_ + 1, std::vector<double>(kinds_));
  std::vector<std::vector<std::size_t>> last(links_, std::vector<std::size_t>(kinds_));
  std::vector<std::vector<std::size_t>> next(links_, std::vector<std::size_t>(kinds_));
  std::vector<std::vector<double>> until(kinds_, std::vector<double>(links_ + 1));
  for (std::size_t kind = 0; kind < kinds_; ++kind) {
    for (std::size_t link = 0; link < links_; ++link) {
      const bool may_go = bytes_[link][kind] >= 0;
      until[kind][link + 1] = until[kind][link] + (may_go ? price_ps(link, kind) : 0);
    }
  }
  auto run = runs.begin();
  for (std::size_t first = links_; first-- > 0;) {
    for (; run != runs.end() && run->first == first; ++run) {
      const double ps = static_cast<double>(run->path_ps) + until[run->kind][run->last + 1] -
                        until[run->kind][first] + onward[run->last + 1][run->kind];
      if (ps >= within[first][run->kind]) continue;
      within[first][run->kind] = ps;
      last[first][run->kind] = run->last;
    }
    if (first == 0) break;
    for (std::size_t before = 0; before < kinds_; ++before) {
      onward[first][before] = kNowhere;
      for (std::size_t kind = 0; kind < kinds_; ++kind) {
        const Picoseconds crossing_ps = crossings_ps[first][before][kind];
        if (crossing_ps == kNeverPs) continue;
        const double ps = within[first][kind] + static_cast<double>(crossing_ps);
        if (ps >= onward[first][before]) continue;
        onward[first][before] = ps;
        next[first][before] = kind;
      }
    }
  }
  const auto least = std::ranges::min_element(within.front());
  if (*least == kNowhere) return kNowhere;
  std::size_t kind = static_cast<std::size_t>(least - within.front().begin());
  for (std::size_t first = 0; first < links_;) {
    const std::size_t end = last[first][kind] + 1;
    for (; first < end; ++first) use(first, kind);
    if (first < links_) kind = next[first][kind];
  }
  return *least;
}

/// Of all groups beside the path, where each is cheapest.
double RunPrices::beside_ps() {
  double sum_ps = 0;
  for (std::size_t group = links_; group < bytes_.size(); ++group) {
    double least_ps = kNowhere;
    std::size_t cheapest = kinds_;
    for (std::size_t kind = 0; kind < kinds_; ++kind) {
      if (bytes_[group][kind] < 0) continue;
      const double ps = price_ps(group, kind);
      if (ps >= least_ps) continue;
      least_ps = ps;
      cheapest = kind;
    }
    if (cheapest == kinds_) continue;
    sum_ps += least_ps;
    use(group, cheapest);
  }
  return sum_ps;
}

}  // namespace placer
