#include "search/local/memory_packing.hpp"

#include <algorithm>
#include <array>

#include "search/groups/device_packing.hpp"
#include "search/groups/topological_groups.hpp"
#include "search/local/memory_repair.hpp"

namespace placer {
namespace {

constexpr double kRepairShare = 0.05;
constexpr std::array kReserves = {0.0, 0.01, 0.03, 0.1};

/// How groups are sent to kinds of devices: by choice, how much speaks for it and what it costs.
struct Rating {
  std::vector<double> merits, costs;
};

class MemoryPacking {
 public:
  MemoryPacking(const Problem& problem, const MemoryFit& fit, const PathPrices& prices,
                Rating rating)
      : problem_(problem),
        choices_(prices.choices()),
        costs_(std::move(rating.costs)),
        watch_(problem.deadline()) {
    for (std::size_t c = 0; c < choices_.size(); ++c) {
      const auto [group, device] = choices_[c];
      bytes_.push_back(fit.memory(group, device).kept_bytes);
      if (c == 0 || choices_[c - 1].group != group) {
        first_.push_back(c);
        likeliest_.push_back(c);
      }
      if (rating.merits[c] > rating.merits[likeliest_.back()]) likeliest_.back() = c;
    }
    first_.push_back(choices_.size());
    pools_.resize(problem.device_count());
    for (const DeviceId device : IdRange<DeviceId>(problem.device_count())) {
      pools_[prices.loads().first_of_pool(device).index()].push_back(device);
    }
  }

  /// Leaves a share of every memory free.
  std::optional<Placement> packed(double reserve) {
    chosen_ = likeliest_;
    rooms_.assign(pools_.size(), 0);
    for (std::size_t pool = 0; pool < pools_.size(); ++pool) {
      for (const DeviceId device : pools_[pool]) rooms_[pool] += (1 - reserve) * memory_of(device);
    }
    for (const std::size_t c : chosen_) rooms_[pool(c)] -= static_cast<double>(bytes_[c]);
    for (std::size_t pool = 0; pool < pools_.size(); ++pool) {
      while (rooms_[pool] < 0 && relieve(pool)) watch_.check(choices_.size());
    }
    std::vector<std::int64_t> held;
    for (const std::size_t c : chosen_) held.push_back(bytes_[c]);
    return fitting_devices(problem_, held, wishes());
  }

 private:
  double memory_of(DeviceId device) const {
    return static_cast<double>(problem_.topology().device(device).memory_bytes);
  }
  std::size_t pool(std::size_t choice) const { return choices_[choice].device.index(); }

  /// Moves the group that loses least for its bytes, or for what is too much, to a pool with room.
  bool relieve(std::size_t from) {
    std::size_t best = choices_.size(), group_of_best = 0;
    double least = 0;
    for (std::size_t group = 0; group < chosen_.size(); ++group) {
      const std::size_t now = chosen_[group];
      if (pool(now) != from || bytes_[now] == 0) continue;
      const double freed = std::min(static_cast<double>(bytes_[now]), -rooms_[from]);
      for (std::size_t c = first_[group]; c < first_[group + 1]; ++c) {
        if (pool(c) == from || rooms_[pool(c)] < static_cast<double>(bytes_[c])) continue;
        const double lost = (costs_[c] - costs_[now]) / freed;
        if (best < choices_.size() && lost >= least) continue;
        best = c;
        least = lost;
        group_of_best = group;
      }
    }
    if (best == choices_.size()) return false;
    rooms_[from] += static_cast<double>(bytes_[chosen_[group_of_best]]);
    rooms_[pool(best)] -= static_cast<double>(bytes_[best]);
    chosen_[group_of_best] = best;
    return true;
  }

  /// The devices of a pool get equal shares of its groups, in program order.
  Placement wishes() const {
    std::vector<double> all_bytes(pools_.size(), 0), held_bytes(pools_.size(), 0);
    for (const std::size_t c : chosen_) all_bytes[pool(c)] += static_cast<double>(bytes_[c]);
    Placement wishes{std::vector<DeviceId>(problem_.groups().size(), DeviceId(0))};
    for (const GroupId group : topological_groups(problem_)) {
      const std::size_t c = chosen_[group.index()], from = pool(c);
      const double middle = held_bytes[from] + static_cast<double>(bytes_[c]) / 2;
      const auto count = static_cast<double>(pools_[from].size());
      const double at = all_bytes[from] > 0 ? middle / all_bytes[from] * count : 0;
      wishes[group] = pools_[from][static_cast<std::size_t>(std::min(at, count - 1))];
      held_bytes[from] += static_cast<double>(bytes_[c]);
    }
    return wishes;
  }

  const Problem& problem_;
  const std::vector<PathPrices::Choice>& choices_;
  const std::vector<double> costs_;           // by choice
  std::vector<std::int64_t> bytes_;           // by choice: what is held throughout
  std::vector<std::size_t> first_;            // by group, and one more: its first choice
  std::vector<std::size_t> likeliest_;        // by group: the choice of the largest share
  std::vector<std::vector<DeviceId>> pools_;  // by first device
  std::vector<double> rooms_;                 // by pool, in bytes
  std::vector<std::size_t> chosen_;           // by group
  Watch watch_;
};

/// All on the fastest devices, as if one group ran after the other.
Rating by_time(const Problem& problem, const PathPrices& prices) {
  Rating rating;
  for (const auto& [group, device] : prices.choices()) {
    rating.costs.push_back(static_cast<double>(problem.group_ps(group, device)));
    rating.merits.push_back(-rating.costs.back());
  }
  return rating;
}

/// As the bound shares them out, with what is side by side at a price of its own.
Rating by_price(const PathPrices& prices) {
  return {prices.loads().shares(), prices.loads().costs()};
}

}  // namespace

std::vector<Placement> memory_packings(const Problem& problem, const MemoryFit& fit,
                                       const PathPrices& prices) {
  if (!fit.infeasible().empty() || !fit.may_bind() || prices.is_too_large()) return {};
  std::vector<Placement> packings;
  for (const Rating& rating : {by_time(problem, prices), by_price(prices)}) {
    MemoryPacking packing(problem, fit, prices, rating);
    for (const double reserve : kReserves) {
      if (std::optional<Placement> packed = packing.packed(reserve)) {
        packings.push_back(std::move(*packed));
      }
    }
  }
  return packings;
}

void try_memory_packings(Search& search, const std::vector<Placement>& packings) {
  const std::vector<Score> scores = search.evaluate_all(packings);
  if (search.spent()) return;
  const auto best = std::ranges::min_element(
      scores, {}, [&](const Score& score) { return search.cost_seconds(score); });
  if (best->fits()) return;
  Search part = search.part(kRepairShare);
  repair_memory(part, packings[static_cast<std::size_t>(best - scores.begin())]);
}

}  // namespace placer
