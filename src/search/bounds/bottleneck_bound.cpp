#include "search/bounds/bottleneck_bound.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "search/bounds/largest_sum.hpp"
#include "search/bounds/least_copies.hpp"
#include "search/bounds/least_cut.hpp"
#include "search/bounds/load_bound.hpp"
#include "search/joins/join_time.hpp"

namespace placer {
namespace {

constexpr std::int64_t kStepsOfCuts = 10'000'000;                   // of looking for cuts
constexpr std::array kPricesOfWork = {8, 24, 4, 16, 2, 12, 32, 1};  // of 64
constexpr std::int64_t kWholePrice = 64;
constexpr std::int64_t kMemoryShare = 4;  // all memory costs this part of the known bottleneck
constexpr Picoseconds kMostOver = 8;      // times the known one
constexpr std::int64_t kBisections = 2048;
constexpr std::int64_t kMostPartsOfWork = 64;
constexpr std::size_t kMostOfBottleneck = 20'000;  // groups times devices
constexpr int kStepsOfPrices = 100;                // of looking for prices of devices

std::int64_t share_of(std::int64_t value, std::int64_t by, std::int64_t of) {
  return static_cast<std::int64_t>(static_cast<__int128>(value) * by / of);
}

class BottleneckBound {
 public:
  BottleneckBound(const Problem& problem, const MemoryFit& fit, Picoseconds known_ps)
      : problem_(problem), fit_(fit), known_ps_(known_ps) {}

  Picoseconds bound() {
    const std::size_t choices = problem_.groups().size() * problem_.device_count();
    if (!fit_.infeasible().empty() || known_ps_ <= 0 || choices > kMostOfBottleneck)
      return known_ps_;
    find_kinds();
    if (kinds_.empty()) return known_ps_;
    Picoseconds low_ps = known_ps_ - 1, high_ps = known_ps_;
    while (high_ps < kMostOver * known_ps_ && is_too_short(high_ps)) {
      low_ps = high_ps;
      high_ps += (high_ps + 1) / 2;
    }
    while (high_ps - low_ps > high_ps / kBisections + 1) {
      const Picoseconds middle_ps = low_ps + (high_ps - low_ps) / 2;
      (is_too_short(middle_ps) ? low_ps : high_ps) = middle_ps;
    }
    return low_ps + 1;
  }

 private:
  /// Of a set with some group: copies + work * price / kWholePrice + memory_ps are at least
  /// `cut_ps`.
  struct Cuts {
    std::int64_t price_of_work = 0;
    Picoseconds memory_ps = 0;
    std::vector<Picoseconds> cut_ps;  // by group
  };
  struct Kind {  // of accelerators with one slot
    DeviceId device;
    std::vector<Picoseconds> work_ps;  // by group; kNeverPs where it may not go
    std::vector<Cuts> cuts;
  };

  void find_kinds();
  void find_cuts(LeastCut& least, Kind& kind, std::int64_t price_of_work, Picoseconds memory_ps);
  Picoseconds most_work_ps(const Cuts& cuts, GroupId group, Picoseconds bottleneck_ps) const;
  std::vector<Picoseconds> rooms_ps(const Kind& kind, Picoseconds bottleneck_ps) const;
  std::vector<Picoseconds> shares_ps(const Kind& kind, Picoseconds bottleneck_ps) const;
  bool is_too_short(Picoseconds bottleneck_ps) const;

  const Problem& problem_;
  const MemoryFit& fit_;
  const Picoseconds known_ps_;
  std::vector<Kind> kinds_;
  std::int64_t steps_ = kStepsOfCuts;
};

void BottleneckBound::find_kinds() {
  const std::vector<Picoseconds> copies_ps = least_copies_ps(problem_);
  const LoadBound pools(problem_);
  double all_ps = std::accumulate(copies_ps.begin(), copies_ps.end(), 0.0);
  for (const DeviceId device : IdRange<DeviceId>(problem_.device_count())) {
    const Device& at = problem_.topology().device(device);
    if (at.host || at.slots > 1 || !pools.counts(device)) continue;
    Kind& kind = kinds_.emplace_back(Kind{device, {}, {}});
    for (const GroupId group : IdRange<GroupId>(problem_.groups().size())) {
      const bool may_go = fit_.may_go(group, device);
      kind.work_ps.push_back(may_go ? problem_.group_ps(group, device) : kNeverPs);
      all_ps += may_go ? static_cast<double>(kind.work_ps.back()) : 0;
    }
  }
  if (2 * all_ps > static_cast<double>(LeastCut::kMostPs)) return;
  LeastCut least(problem_, copies_ps);
  for (const std::int64_t price : kPricesOfWork) {
    for (Kind& kind : kinds_) {
      find_cuts(least, kind, price, 0);
      if (fit_.may_bind()) find_cuts(least, kind, price, known_ps_ / kMemoryShare);
    }
  }
}

/// At a price of work, and one of memory at which all of the device's costs `memory_ps`.
void BottleneckBound::find_cuts(LeastCut& least, Kind& kind, std::int64_t price_of_work,
                                Picoseconds memory_ps) {
  const std::int64_t room_bytes =
      std::max<std::int64_t>(1, problem_.topology().device(kind.device).memory_bytes);
  std::vector<Picoseconds> prices_ps;
  for (const GroupId group : IdRange<GroupId>(problem_.groups().size())) {
    const Picoseconds work_ps = kind.work_ps[group.index()];
    if (work_ps == kNeverPs) {
      prices_ps.push_back(LeastCut::kMostPs / 2);
      continue;
    }
    const std::int64_t bytes = fit_.memory(group, kind.device).kept_bytes;
    prices_ps.push_back(share_of(work_ps, price_of_work, kWholePrice) +
                        share_of(memory_ps, std::min(bytes, room_bytes), room_bytes));
  }
  least.set_prices(prices_ps);
  Cuts& cuts = kind.cuts.emplace_back(Cuts{price_of_work, memory_ps, {}});
  Watch watch(problem_.deadline());
  for (const GroupId group : IdRange<GroupId>(problem_.groups().size())) {
    const std::int64_t before = steps_;
    const bool may_go = kind.work_ps[group.index()] != kNeverPs;
    cuts.cut_ps.push_back(may_go ? least.with(group, steps_) : 0);
    watch.check(static_cast<std::size_t>(before - steps_));
  }
}

/// That a set with the group may have, as far as this cut says; below 0 where it may not be.
Picoseconds BottleneckBound::most_work_ps(const Cuts& cuts, GroupId group,
                                          Picoseconds bottleneck_ps) const {
  const Picoseconds over_ps = cuts.cut_ps[group.index()] - cuts.memory_ps;
  if (problem_.topology().transfers() == Transfers::kSerial) {
    // copies <= bottleneck - work
    if (over_ps <= 0) return bottleneck_ps;
    if (over_ps > bottleneck_ps) return -1;
    return std::min(bottleneck_ps, share_of(bottleneck_ps - over_ps, kWholePrice,
                                            kWholePrice - cuts.price_of_work));
  }
  const bool is_one_wire = problem_.topology().contention() == Contention::kHalfDuplex;
  const Picoseconds copies_ps = is_one_wire ? bottleneck_ps : 2 * bottleneck_ps;
  const Picoseconds most_ps = copies_ps + share_of(bottleneck_ps, cuts.price_of_work, kWholePrice);
  return over_ps > most_ps + 1 ? -1 : bottleneck_ps;
}

/// By group, the most work of a device that has it; below 0 where none can.
std::vector<Picoseconds> BottleneckBound::rooms_ps(const Kind& kind,
                                                   Picoseconds bottleneck_ps) const {
  std::vector<Picoseconds> rooms_ps;
  for (const GroupId group : IdRange<GroupId>(problem_.groups().size())) {
    Picoseconds room_ps = kind.work_ps[group.index()] == kNeverPs ? -1 : bottleneck_ps;
    for (const Cuts& cuts : kind.cuts) {
      room_ps = std::min(room_ps, most_work_ps(cuts, group, bottleneck_ps));
    }
    rooms_ps.push_back(kind.work_ps[group.index()] <= room_ps ? room_ps : -1);
  }
  return rooms_ps;
}

/// By group, the part of the bottleneck that it surely takes; below 0 where it cannot be.
std::vector<Picoseconds> BottleneckBound::shares_ps(const Kind& kind,
                                                    Picoseconds bottleneck_ps) const {
  const std::vector<Picoseconds> rooms = rooms_ps(kind, bottleneck_ps);
  std::vector<Picoseconds> best, shares;
  double most = -1;
  for (std::int64_t parts = 0; parts <= kMostPartsOfWork; ++parts) {
    shares.clear();
    double sum = 0;
    for (std::size_t group = 0; group < rooms.size(); ++group) {
      Picoseconds share_ps = -1;
      if (rooms[group] >= 0) {
        const Picoseconds work_ps = kind.work_ps[group];
        share_ps = work_ps == 0 ? 0
                   : parts == 0
                       ? share_of(bottleneck_ps, work_ps, rooms[group])
                       : share_of(bottleneck_ps, parts_of(work_ps, rooms[group], parts), parts);
        sum += static_cast<double>(share_ps);
      }
      shares.push_back(share_ps);
    }
    if (sum <= most) continue;
    most = sum;
    std::swap(best, shares);
  }
  return best;
}

bool BottleneckBound::is_too_short(Picoseconds bottleneck_ps) const {
  std::vector<std::vector<Picoseconds>> shares;
  for (const Kind& kind : kinds_) shares.push_back(shares_ps(kind, bottleneck_ps));
  LoadBound loads(problem_);
  for (const GroupId group : IdRange<GroupId>(problem_.groups().size())) {
    bool any = false;
    for (const DeviceId device : fit_.devices(group)) {
      if (!loads.counts(device)) continue;
      const auto kind = std::ranges::find(kinds_, device, &Kind::device);
      const Picoseconds work_ps =
          kind == kinds_.end()
              ? problem_.group_ps(group, device)
              : shares[static_cast<std::size_t>(kind - kinds_.begin())][group.index()];
      const std::int64_t slots = problem_.topology().device(device).slots;
      if (work_ps < 0 || work_ps / slots > bottleneck_ps) continue;
      loads.add_choice(device, work_ps, fit_.memory(group, device).kept_bytes);
      any = true;
    }
    if (!any) return true;
    loads.end_item();
  }
  const Picoseconds by_work_ps = loads.bound_of_sums(kStepsOfPrices);
  if (by_work_ps > bottleneck_ps || !fit_.may_bind()) return by_work_ps > bottleneck_ps;
  const auto in_memory_ps = loads.bound_in_memory(kStepsOfPrices, by_work_ps);
  return !in_memory_ps || *in_memory_ps > bottleneck_ps;
}

}  // namespace

Picoseconds bottleneck_bound(const Problem& problem, const MemoryFit& fit, Picoseconds known_ps) {
  return BottleneckBound(problem, fit, known_ps).bound();
}

}  // namespace placer
