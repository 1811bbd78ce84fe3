#include "placer/search/grouping.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>

#include "search/neighbours.hpp"

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

double held_bytes(const Problem& problem, GroupId group) {
  double sum = 0;
  for (const OpId op : problem.groups().ops(group)) {
    sum += static_cast<double>(problem.graph().op(op).params_bytes);
    for (const TensorId output : problem.graph().outputs(op)) {
      sum += static_cast<double>(problem.graph().tensor(output).bytes);
    }
  }
  return sum;
}

/// Merges step by step; each step joins disjoint pairs, so that groups grow evenly.
class Merger {
 public:
  Merger(const Problem& problem, std::size_t count)
      : problem_(problem), count_(std::max<std::size_t>(count, 1)), grouped_(problem) {}

  std::vector<GroupId> run() {
    while (grouped_.groups().size() > count_ && join(linked_pairs(), 1.0)) {
    }
    // What no edge or cap lets join: neighbours in file order, under ever looser caps.
    for (double slack = 1.0; grouped_.groups().size() > count_; slack *= 2) {
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
  struct Pair {
    GroupId a, b;
    double weight;
  };

  /// Most transfer time saved first.
  std::vector<Pair> linked_pairs() const {
    std::vector<Pair> pairs;
    const Neighbours neighbours(grouped_);
    for (const Neighbours::Edge& edge : neighbours.edges()) {
      pairs.push_back({edge.a, edge.b, edge.transfer_seconds});
    }
    std::ranges::stable_sort(pairs, std::greater<>(), &Pair::weight);
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
    measure();
    std::vector<GroupId> into;
    for (const GroupId group : IdRange<GroupId>(groups.size())) into.push_back(group);
    std::vector<char> taken(groups.size(), 0);
    std::size_t left = groups.size();
    for (const Pair& pair : pairs) {
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
    memory_bytes_.clear();
    for (const GroupId group : IdRange<GroupId>(groups.size())) {
      work_seconds_.push_back(mean_seconds(grouped_, group));
      memory_bytes_.push_back(held_bytes(grouped_, group));
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
    const double memory = memory_bytes_[pair.a.index()] + memory_bytes_[pair.b.index()];
    return memory <= kMemoryCap * smallest * slack;
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
  Problem grouped_;
  std::vector<double> work_seconds_, memory_bytes_;
  double all_work_seconds_ = 0;
};

}  // namespace

std::vector<GroupId> merge_groups(const Problem& problem, std::size_t count) {
  return Merger(problem, count).run();
}

}  // namespace placer
