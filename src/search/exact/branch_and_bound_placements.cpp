#include <algorithm>

#include "placer/model/alike_devices.hpp"
#include "search/bounds/heads_and_tails.hpp"
#include "search/bounds/load_bound.hpp"
#include "search/exact/branch_and_bound.hpp"
#include "search/groups/topological_groups.hpp"

namespace placer {
namespace {

constexpr int kLoadSteps = 200;

/// Groups to devices in the order of their first ops, depth first. A partial placement is cut off
/// where every placement that it begins, as far as it fits, takes at least as long as the best: by
/// paths and by load, neither of which knows of any order.
class PlacementTree {
 public:
  PlacementTree(Search& search, std::int64_t nodes, Picoseconds lower_ps)
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

  /// True once all is seen.
  bool run() { return fit_.infeasible().empty() && place(0); }
  std::int64_t nodes_left() const { return nodes_; }

 private:
  void price_work() {
    LoadBound load(problem_);
    for (const GroupId group : IdRange<GroupId>(problem_.groups().size())) {
      for (const DeviceId device : fit_.devices(group)) {
        load.add_choice(device, problem_.group_ps(group, device));
      }
      load.end_item();
    }
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

  /// False when it had to stop before all was seen.
  bool place(std::size_t depth) {
    if (is_optimal()) return true;
    if (depth == order_.size()) return search_.evaluate(placement_).has_value();
    const GroupId group = order_[depth];
    const std::vector<DeviceId> devices(fit_.devices(group).begin(), fit_.devices(group).end());
    const __int128 least = least_cost(group);
    for (const DeviceId device : devices) {
      if (renamable_ && !is_first_of_its_kind(problem_, placed_, device)) continue;
      if (nodes_-- <= 0 || search_.spent()) return false;
      fit_.fix(group, device);
      placement_[group] = device;
      placed_.push_back(device);
      kept_bytes_[device.index()] += fit_.memory(group, device).kept_bytes;
      least_costs_ += cost(group, device) - least;
      const bool go_on = is_hopeless(device) || place(depth + 1);
      least_costs_ -= cost(group, device) - least;
      kept_bytes_[device.index()] -= fit_.memory(group, device).kept_bytes;
      placed_.pop_back();
      fit_.free(group);
      if (!go_on) return false;
    }
    return true;
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
  std::int64_t nodes_;
  const Picoseconds lower_ps_;
  Placement placement_;
  std::vector<DeviceId> placed_;          // of the first groups of order_
  std::vector<std::int64_t> kept_bytes_;  // by device, of the placed groups
  std::vector<std::int64_t> prices_;      // of work, by device
  __int128 slots_ = 0, least_costs_ = 0;  // prices of all slots; of the work at hand at the least
  std::vector<Job> jobs_;
};

}  // namespace

bool branch_and_bound_placements(Search& search, std::int64_t nodes, Picoseconds lower_ps) {
  PlacementTree tree(search, nodes, lower_ps);
  const bool proven = tree.run() && search.best_score().fits();
  tell_exact_end(search, nodes - std::max<std::int64_t>(0, tree.nodes_left()), proven);
  return proven;
}

}  // namespace placer
