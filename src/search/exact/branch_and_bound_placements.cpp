#include <algorithm>
#include <optional>

#include "placer/model/alike_devices.hpp"
#include "search/bounds/path_prices.hpp"
#include "search/exact/branch_and_bound.hpp"
#include "search/groups/topological_groups.hpp"
#include "search/joins/heads_and_tails.hpp"

namespace placer {
namespace {

constexpr int kLoadSteps = 200;
constexpr std::int64_t kPlacementNodesPerEvaluation = 1;  // bounds of a node take as long

/// Groups to devices in the order of their first ops, depth first. A partial placement is cut off
/// where every placement that it begins, as far as it fits, takes at least as long as the best: by
/// paths and by load, neither of which knows of any order.
class PlacementTree {
 public:
  PlacementTree(Search& search, NodeBudget& nodes, Picoseconds lower_ps)
      : search_(search),
        problem_(search.problem()),
        fit_(problem_),
        renamable_(devices_are_renamable(problem_)),
        order_(topological_groups(problem_)),
        nodes_(nodes),
        lower_ps_(lower_ps),
        placement_{std::vector<DeviceId>(problem_.groups().size())},
        kept_bytes_(problem_.device_count(), 0) {
    price_work();
  }

  ExactEnd run() {
    if (!fit_.infeasible().empty()) return ExactEnd::kNothingFits;
    if (!see_all()) return ExactEnd::kCutShort;
    return search_.best_score().fits() ? ExactEnd::kProven : ExactEnd::kNothingFits;
  }

 private:
  void price_work() {
    LoadBound load = loads_of_groups(problem_, fit_);
    load.bound(kLoadSteps);
    prices_ = load.work_prices();
    for (const DeviceId device : IdRange<DeviceId>(problem_.device_count())) {
      slots_ +=
          static_cast<__int128>(prices_[device.index()]) * problem_.topology().device(device).slots;
    }
    for (const GroupId group : IdRange<GroupId>(problem_.groups().size())) {
      least_costs_ += least_cost(group);
    }
  }

  __int128 cost(GroupId group, DeviceId device) const {
    return static_cast<__int128>(prices_[device.index()]) * problem_.group_ps(group, device);
  }
  __int128 least_cost(GroupId group) const {
    __int128 least = cost(group, fit_.devices(group).front());
    for (const DeviceId device : fit_.devices(group)) least = std::min(least, cost(group, device));
    return least;
  }

  bool is_optimal() const {
    return search_.best_score().fits() && search_.best_score().step_ps <= lower_ps_;
  }

  /// A group on its way through its devices.
  struct Level {
    std::vector<DeviceId> devices;
    std::size_t next = 0;  // of the devices
  };

  /// False when it had to stop before all was seen. The levels are those of the groups that have a
  /// device and of the next one.
  bool see_all() {
    if (is_optimal()) return true;
    std::vector<Level> levels = {level(0)};
    while (!levels.empty()) {
      const std::size_t depth = levels.size() - 1;
      if (placed_.size() > depth) take_back();
      const std::optional<DeviceId> device = next_device(levels.back());
      if (!device) {
        levels.pop_back();
        continue;
      }
      if (nodes_.left(kPlacementNodesPerEvaluation) <= 0 || search_.spent()) return false;
      nodes_.take(1, kPlacementNodesPerEvaluation);
      put(*device);
      if (is_hopeless(*device)) continue;
      if (is_optimal()) return true;
      if (depth + 1 < order_.size()) {
        levels.push_back(level(depth + 1));
      } else if (!search_.evaluate(placement_)) {
        return false;
      } else if (is_optimal()) {
        return true;
      }
    }
    return true;
  }

  Level level(std::size_t depth) const {
    const auto devices = fit_.devices(order_[depth]);
    return {{devices.begin(), devices.end()}};
  }

  std::optional<DeviceId> next_device(Level& level) const {
    while (level.next < level.devices.size()) {
      const DeviceId device = level.devices[level.next++];
      if (!renamable_ || is_first_of_its_kind(problem_, placed_, device)) return device;
    }
    return std::nullopt;
  }

  void put(DeviceId device) {
    const GroupId group = order_[placed_.size()];
    least_costs_ += cost(group, device) - least_cost(group);
    fit_.fix(group, device);
    placement_[group] = device;
    placed_.push_back(device);
    kept_bytes_[device.index()] += fit_.memory(group, device).kept_bytes;
  }

  void take_back() {
    const DeviceId device = placed_.back();
    placed_.pop_back();
    const GroupId group = order_[placed_.size()];
    kept_bytes_[device.index()] -= fit_.memory(group, device).kept_bytes;
    fit_.free(group);
    least_costs_ -= cost(group, device) - least_cost(group);
  }

  bool is_hopeless(DeviceId changed) {
    if (kept_bytes_[changed.index()] > problem_.topology().device(changed).memory_bytes) {
      return search_.best_score().fits();
    }
    if (!search_.best_score().fits()) return false;
    const Picoseconds best_ps = search_.best_score().step_ps;
    if (least_costs_ > slots_ * (best_ps - 1)) return true;
    const HeadsAndTails times = fork_join_times(problem_, fit_);
    return fork_join_bound(problem_, fit_, times) >= best_ps || devices_take(times) >= best_ps;
  }

  /// The longest that a device of one slot needs for the groups placed there: the least head of
  /// some of its ops, their work and the least tail of them.
  Picoseconds devices_take(const HeadsAndTails& times) {
    Picoseconds longest_ps = 0;
    for (const DeviceId device : IdRange<DeviceId>(problem_.device_count())) {
      if (problem_.topology().device(device).slots > 1) continue;
      jobs_.clear();
      for (std::size_t k = 0; k < placed_.size(); ++k) {
        if (placed_[k] != device) continue;
        for (const OpId op : problem_.groups().ops(order_[k])) {
          jobs_.push_back({times.head_ps(op, device), problem_.costs().op_ps(op, device),
                           times.tail_ps(op, device)});
        }
      }
      longest_ps = std::max(longest_ps, one_machine_ps());
    }
    return longest_ps;
  }

  /// Over the tails: of the jobs with at least as long a tail.
  Picoseconds one_machine_ps() {
    std::ranges::sort(jobs_, {}, &Job::head_ps);
    Picoseconds longest_ps = 0;
    for (const Job& least : jobs_) {
      Picoseconds end_ps = 0;
      for (const Job& job : jobs_) {
        if (job.tail_ps < least.tail_ps) continue;
        end_ps = std::max(end_ps, job.head_ps) + job.work_ps;
      }
      longest_ps = std::max(longest_ps, end_ps + least.tail_ps);
    }
    return longest_ps;
  }

  struct Job {
    Picoseconds head_ps, work_ps, tail_ps;
  };

  Search& search_;
  const Problem& problem_;
  MemoryFit fit_;
  const bool renamable_;
  const std::vector<GroupId> order_;
  NodeBudget& nodes_;
  const Picoseconds lower_ps_;
  Placement placement_;
  std::vector<DeviceId> placed_;          // of the first groups of order_
  std::vector<std::int64_t> kept_bytes_;  // by device, of the placed groups
  std::vector<std::int64_t> prices_;      // of work, by device
  __int128 slots_ = 0, least_costs_ = 0;  // prices of all slots; of the work at hand at the least
  std::vector<Job> jobs_;
};

}  // namespace

ExactEnd branch_and_bound_placements(Search& search, NodeBudget& nodes, Picoseconds lower_ps) {
  return PlacementTree(search, nodes, lower_ps).run();
}

}  // namespace placer
