#include "placer/search/grouping.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>

#include "search/groups/group_memory.hpp"
#include "search/groups/neighbours.hpp"

namespace placer {
namespace {

/// A merged group holds at most this many times its even share of all work.
constexpr double kWorkCap = 2.0;
/// ... and at most this share of the memory of the smallest device it may go to.
constexpr double kMemoryCap = 0.25;

double mean_seconds(const Problem& problem, GroupId group) {
  double sum = 0;
  const auto allowed = problem.groups().allowed(group);
  for (const DeviceId device : allowed) sum += to_seconds(problem.group_ps(group, device));
  return sum / static_cast<double>(allowed.size());
}

/// When some op of a group runs, were there devices and links without end: disjoint, in order.
struct Busy {
  struct Stretch {
    Picoseconds begin_ps, end_ps;
  };
  std::vector<Stretch> stretches;

  void tidy() {
    std::ranges::sort(stretches, std::less<>(), &Stretch::begin_ps);
    std::size_t kept = 0;
    for (const Stretch& stretch : stretches) {
      if (kept > 0 && stretch.begin_ps <= stretches[kept - 1].end_ps) {
        stretches[kept - 1].end_ps = std::max(stretches[kept - 1].end_ps, stretch.end_ps);
      } else {
        stretches[kept++] = stretch;
      }
    }
    stretches.resize(kept);
  }
};

Picoseconds overlap_ps(const Busy& a, const Busy& b) {
  if (a.stretches.size() > b.stretches.size()) return overlap_ps(b, a);
  Picoseconds sum = 0;
  for (const Busy::Stretch& stretch : a.stretches) {
    auto at = std::ranges::upper_bound(b.stretches, stretch.begin_ps, std::less<>(),
                                       &Busy::Stretch::end_ps);
    for (; at != b.stretches.end() && at->begin_ps < stretch.end_ps; ++at) {
      sum += std::min(stretch.end_ps, at->end_ps) - std::max(stretch.begin_ps, at->begin_ps);
    }
  }
  return sum;
}

/// By op: start and end when every op runs as soon as its inputs exist, at its fastest.
std::vector<Busy::Stretch> soonest_runs(const Problem& problem) {
  const Graph& graph = problem.graph();
  std::vector<Busy::Stretch> runs(problem.op_count(), {0, 0});
  for (const OpId op : graph.program_order()) {
    Busy::Stretch& run = runs[op.index()];
    for (const TensorId input : graph.inputs(op)) {
      run.begin_ps = std::max(run.begin_ps, runs[graph.tensor(input).producer.index()].end_ps);
    }
    run.end_ps = run.begin_ps + problem.fastest_ps(op);
  }
  return runs;
}

/// Merges step by step; each step joins disjoint pairs, so that groups grow evenly.
class Merger {
 public:
  Merger(const Problem& problem, std::size_t count, const std::function<bool()>& stop)
      : problem_(problem),
        count_(std::max<std::size_t>(count, 1)),
        stop_(stop),
        runs_(soonest_runs(problem)),
        grouped_(problem),
        watch_(problem.deadline()) {}

  std::vector<GroupId> run() {
    const auto join_linked = [&](bool any_gain) {
      if (done()) return false;
      measure();
      return join(linked_pairs(any_gain), 1.0);
    };
    while (join_linked(false) || join_linked(true)) {
    }
    // What no edge or cap lets join: neighbours in file order, under ever looser caps.
    for (double slack = 1.0; !done(); slack *= 2) {
      measure();
      const bool joined = join(pairs_in_order(), slack);
      if (!joined && slack > 1e6) break;
    }
    std::vector<GroupId> group_of;
    for (const OpId op : IdRange<OpId>(problem_.op_count())) {
      group_of.push_back(grouped_.groups().of(op));
    }
    return group_of;
  }

 private:
  bool done() const { return grouped_.groups().size() <= count_ || (stop_ && stop_()); }

  struct Pair {
    GroupId a, b;
    double gain_seconds;
  };

  /// Largest gain first: the transfers saved less the work that can no longer run at once.
  std::vector<Pair> linked_pairs(bool any_gain) const {
    std::vector<Pair> pairs;
    const Neighbours neighbours(grouped_);
    for (const Neighbours::Edge& edge : neighbours.edges()) {
      watch_.check(8);
      const double lost_seconds =
          to_seconds(overlap_ps(busy_[edge.a.index()], busy_[edge.b.index()]));
      const double gain_seconds = edge.transfer_seconds - lost_seconds;
      if (any_gain || gain_seconds > 0) pairs.push_back({edge.a, edge.b, gain_seconds});
    }
    std::ranges::stable_sort(pairs, [this](const Pair& left, const Pair& right) {
      watch_.check();
      return left.gain_seconds > right.gain_seconds;
    });
    return pairs;
  }

  std::vector<Pair> pairs_in_order() const {
    std::vector<std::vector<GroupId>> by_set(grouped_.groups().allowed_sets().size());
    for (const GroupId group : IdRange<GroupId>(grouped_.groups().size())) {
      by_set[grouped_.groups().allowed_set(group)].push_back(group);
    }
    std::vector<Pair> pairs;
    for (const std::vector<GroupId>& groups : by_set) {
      for (std::size_t i = 1; i < groups.size(); ++i)
        pairs.push_back({groups[i - 1], groups[i], 0});
    }
    return pairs;
  }

  /// False when no pair could be joined.
  bool join(const std::vector<Pair>& pairs, double slack) {
    const Groups& groups = grouped_.groups();
    std::vector<GroupId> into;
    for (const GroupId group : IdRange<GroupId>(groups.size())) into.push_back(group);
    std::vector<char> taken(groups.size(), 0);
    std::size_t left = groups.size();
    for (const Pair& pair : pairs) {
      watch_.check();
      if (left <= count_) break;
      if (taken[pair.a.index()] || taken[pair.b.index()] || !may_join(pair, slack)) continue;
      taken[pair.a.index()] = taken[pair.b.index()] = 1;
      into[pair.b.index()] = pair.a;
      --left;
    }
    const bool joined = left < groups.size();
    if (joined) apply(into);
    return joined;
  }

  void measure() {
    const Groups& groups = grouped_.groups();
    work_seconds_.clear();
    memory_bytes_ = bytes_of_groups(grouped_, &GroupMemory::made_bytes);
    for (const GroupId group : IdRange<GroupId>(groups.size())) {
      watch_.check(groups.ops(group).size() * problem_.device_count());
      work_seconds_.push_back(mean_seconds(grouped_, group));
    }
    busy_.assign(groups.size(), {});
    for (const OpId op : IdRange<OpId>(problem_.op_count())) {
      busy_[groups.of(op).index()].stretches.push_back(runs_[op.index()]);
    }
    for (Busy& busy : busy_) {
      watch_.check(busy.stretches.size());
      busy.tidy();
    }
    all_work_seconds_ = std::accumulate(work_seconds_.begin(), work_seconds_.end(), 0.0);
  }

  bool may_join(const Pair& pair, double slack) const {
    const Groups& groups = grouped_.groups();
    if (groups.allowed_set(pair.a) != groups.allowed_set(pair.b)) return false;
    const double even_share = all_work_seconds_ / static_cast<double>(count_);
    const double work = work_seconds_[pair.a.index()] + work_seconds_[pair.b.index()];
    if (work > kWorkCap * even_share * slack) return false;
    double smallest = std::numeric_limits<double>::infinity();
    for (const DeviceId device : groups.allowed(pair.a)) {
      smallest =
          std::min(smallest, static_cast<double>(problem_.topology().device(device).memory_bytes));
    }
    const std::int64_t bytes = memory_bytes_[pair.a.index()] + memory_bytes_[pair.b.index()];
    return static_cast<double>(bytes) <= kMemoryCap * smallest * slack;
  }

  /// Renumbers by first op.
  void apply(const std::vector<GroupId>& into) {
    constexpr std::size_t kNew = std::numeric_limits<std::uint32_t>::max();
    std::vector<GroupId> number(into.size(), GroupId(kNew));
    std::vector<GroupId> group_of;
    std::size_t count = 0;
    for (const OpId op : IdRange<OpId>(problem_.op_count())) {
      GroupId& numbered = number[into[grouped_.groups().of(op).index()].index()];
      if (numbered == GroupId(kNew)) numbered = GroupId(count++);
      group_of.push_back(numbered);
    }
    grouped_ = grouped_.with_groups(std::move(group_of));
  }

  const Problem problem_;
  const std::size_t count_;
  const std::function<bool()>& stop_;
  const std::vector<Busy::Stretch> runs_;
  Problem grouped_;
  std::vector<Busy> busy_;
  std::vector<double> work_seconds_;        // by group
  std::vector<std::int64_t> memory_bytes_;  // by group
  double all_work_seconds_ = 0;
  mutable Watch watch_;
};

}  // namespace

std::vector<GroupId> merge_groups(const Problem& problem, std::size_t count,
                                  const std::function<bool()>& stop) {
  return Merger(problem, count, stop).run();
}

}  // namespace placer
