#pragma once

#include <cstdint>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "placer/base/rng.hpp"
#include "search/group_costs.hpp"
#include "search/list_ranks.hpp"
#include "search/list_rules.hpp"

namespace placer {

/// What list rules need to know of a problem, each computed when first asked for.
struct ListScheduler::Tables {
  explicit Tables(const Problem& of);

  const std::vector<double>& through_ranks();
  const std::vector<double>& optimistic();
  const std::vector<double>& mean_optimistic();
  const std::vector<double>& levels();
  const std::vector<OpId>& path();
  const std::vector<std::optional<OpId>>& favourites();
  /// Larger first; ties by program order.
  std::vector<double> priorities(const ListRule& rule, Rng* rng);

  const Problem& problem;
  MeanCosts costs;
  std::vector<double> upward;
  std::vector<double> median_ps;  // with `levels`

 private:
  std::vector<double> through_, optimistic_, mean_optimistic_, levels_;
  std::vector<OpId> path_;
  std::vector<std::optional<OpId>> favourites_;
};

/// One rule at work.
class ListScheduler::Run {
 public:
  /// `placement` may be null: the rule chooses devices.
  Run(Tables& tables, const ListRule& rule, std::vector<double> priorities,
      const Placement* placement);

  ListSchedule schedule() &&;

 private:
  /// A ready op that competes with others for the next place.
  struct Entry {
    OpId op;
    ListSchedule::Spot spot;       // of the least cost
    double least = 0, second = 0;  // costs over its candidates
    DeviceId second_device;
    std::int64_t step = 0;  // when looked at last
  };
  using Waiting = std::pair<double, std::size_t>;  // priority, ops - program position

  bool pairwise() const { return rule_.next >= ListRule::Next::kEarliestStart; }
  void choose_beforehand();
  void fix(GroupId group, DeviceId device);
  void fix_path();
  void fill_in_order();
  void make_ready(OpId op);
  OpId next_waiting();
  void place(OpId op, const ListSchedule::Spot& spot);

  // One op after the other (list_run.cpp).
  ListSchedule::Spot choose(OpId op);
  void keep_two_devices(OpId op, std::vector<ListSchedule::Spot>& spots) const;
  double cost(OpId op, const ListSchedule::Spot& spot);
  double extra_cost(OpId op, DeviceId device);
  Picoseconds latest_consumer_ps(OpId op, const ListSchedule::Spot& spot);

  // Pairs of ready ops and devices (list_pairs.cpp).
  void run_pairs();
  void take_waiting();
  void refresh(Entry& entry);
  void refresh_all(OpId placed, const ListSchedule::Spot& spot, bool group_was_fixed);
  double pair_cost(OpId op, const ListSchedule::Spot& spot);
  double merit(const Entry& entry) const;
  std::size_t best_entry() const;
  bool awaits_favourite(DeviceId device, OpId other);
  Picoseconds urgent_ps(OpId op) const;

  Tables& tables_;
  const ListRule& rule_;
  std::vector<double> priorities_;
  ListSchedule schedule_;
  std::optional<GroupCosts> groups_;
  std::vector<std::size_t> missing_;  // by op: inputs without a place
  std::priority_queue<Waiting> waiting_;
  std::vector<ListSchedule::Spot> spots_;
  std::vector<Entry> entries_;
  std::vector<std::optional<OpId>> last_;  // by device
  std::int64_t step_ = 0;
};

}  // namespace placer
