#pragma once

#include <cstdint>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "placer/base/rng.hpp"
#include "search/groups/group_costs.hpp"
#include "search/lists/favourite_children.hpp"
#include "search/lists/ranks.hpp"
#include "search/lists/rules.hpp"

namespace placer {

/// What list rules need to know of a problem, each computed when first asked for.
struct ListScheduler::Tables {
  Tables(const Problem& of, Observer to_tell);

  const std::vector<double>& through_ranks();
  const std::vector<double>& optimistic();
  const std::vector<double>& mean_optimistic();
  const std::vector<double>& levels();
  const std::vector<OpId>& path();
  const FavouriteChildren& favourites(bool by_program);
  /// The rule's priority of each op. Ops with larger ones come first, equal ones in program order.
  std::vector<double> priorities(const ListRule& rule, Rng* rng);

  const Problem& problem;
  Observer observer;
  MeanCosts costs;
  std::vector<double> upward;
  std::vector<double> median_ps;  // with `levels`

 private:
  void tell_no_program() const;

  std::vector<double> through_, optimistic_, mean_optimistic_, levels_;
  std::vector<OpId> path_;
  FavouriteChildren along_paths_, by_program_;
};

/// One rule at work. Throws Stopped when the problem's deadline has passed.
class ListScheduler::Run {
 public:
  /// Where `placement` is null, the rule chooses the devices. `surcharges` as in
  /// ListScheduler::run.
  Run(Tables& tables, const ListRule& rule, std::vector<double> priorities,
      const Placement* placement, const std::vector<double>* surcharges = nullptr);

  ListSchedule schedule() &&;

 private:
  /// A ready op that competes with others for the next place.
  struct Entry {
    OpId op;
    GroupId group;
    std::size_t row = 0;  // of `ready_ps_` and `costs_`
    DeviceId device, second_device;
    double least = 0, second = 0;  // costs of these two
    std::int64_t step = 0;         // when all devices were looked at last
  };
  using Waiting = std::pair<double, std::size_t>;  // priority, ops - program position

  void choose_beforehand();
  void fix(GroupId group, DeviceId device);
  void fix_path();
  void fill_in_order();
  void make_ready(OpId op);
  OpId next_waiting();
  void place(OpId op, const ListSchedule::Spot& spot);

  // One op after the other (run.cpp).
  ListSchedule::Spot choose(OpId op);
  void keep_two_devices(OpId op, std::vector<ListSchedule::Spot>& spots) const;
  double cost(OpId op, const ListSchedule::Spot& spot);
  double extra_cost(OpId op, DeviceId device);
  Picoseconds latest_consumer_ps(OpId op, const ListSchedule::Spot& spot);

  // Pairs of ready ops and devices (pairs.cpp).
  void run_pairs();
  void take_waiting();
  void refresh(Entry& entry);
  void rank(Entry& entry) const;
  void update(Entry& entry, DeviceId device);
  void update_all(const Entry& placed, bool group_was_fixed);
  Entry remove(std::size_t at);
  ListSchedule::Spot spot_of(const Entry& entry);
  double pair_cost(OpId op, const ListSchedule::Spot& spot);
  double merit(const Entry& entry) const;
  std::size_t best_entry() const;
  bool waits() const { return rule_.favourites != ListRule::FavouriteChildren::kNone; }
  bool awaits_favourite(DeviceId device, OpId other);
  Picoseconds urgent_ps(OpId op) const;

  Tables& tables_;
  const ListRule& rule_;
  std::vector<double> priorities_;
  const std::vector<double>* surcharges_;  // group * devices + device; may be null
  ListSchedule schedule_;
  std::optional<GroupCosts> groups_;
  std::vector<std::size_t> missing_;  // by op: inputs without a place
  std::priority_queue<Waiting> waiting_;
  std::vector<ListSchedule::Spot> spots_;
  std::vector<Entry> entries_;
  std::vector<std::size_t> free_rows_;
  std::vector<Picoseconds> ready_ps_;      // row * devices + device: arrival of the inputs
  std::vector<double> costs_;              // the same; infinite where it is no candidate
  std::vector<std::optional<OpId>> last_;  // by device
  std::int64_t step_ = 0;
  Watch watch_;
};

}  // namespace placer
