#pragma once

#include <map>
#include <memory>
#include <vector>

#include "placer/base/observer.hpp"
#include "placer/base/rng.hpp"
#include "search/lists/list_schedule.hpp"

namespace placer {

/// One list scheduler: a value for each question that the family answers differently.
struct ListRule {
  /// Which ready op comes next. The first four have a priority for each op from the start; the
  /// others look at every pair of a ready op and a device each time, of the 1,000 ready ops of
  /// largest upward rank where more are ready (fewer in graphs of more than 30,000 ops).
  enum class Next {
    kUpwardRank,      // longest path of mean costs to the end (HEFT)
    kPathThrough,     // longest path of mean costs through it (CPOP)
    kOptimisticCost,  // mean of its optimistic costs (PEFT)
    kProgram,         // program order
    kEarliestStart,   // the pair that can start first, then of larger upward rank (ETF)
    kDynamicLevel,    // static level - start + how much faster than the median device (DLS)
    kLeastFinish,     // the op with the earliest finish (min-min)
    kLatestFinish,    // the op whose earliest finish is the latest (max-min)
    kSufferage,       // the op with the most to lose from its second best device
  } next = Next::kUpwardRank;

  /// What makes a device good for an op.
  enum class Device {
    kFinish,          // the earliest finish
    kPathDevice,      // all of the critical path on one device, else the earliest finish (CPOP)
    kOptimisticCost,  // finish + optimistic cost (PEFT)
    kLookahead,       // the latest finish of its consumers, each where it finishes first
    kTwoDevices,      // finish, on where the last input comes from or where idle first (FCP)
    kInOrder,         // devices filled one after the other in program order (m-topo)
  } device = Device::kFinish;

  /// What the first op of a group, which decides for all of it, looks at besides its own finish.
  enum class Group {
    kFirstOp,   // nothing
    kWhole,     // time of the group's other ops, half of the transfers from and to placed groups
    kPromises,  // and the time of the ops to come whose groups are on the device already
  } group = Group::kFirstOp;

  ListSchedule::Rules schedule;
  /// With kEarliestStart a device may wait for the favourite child of its last op (SCT). This says
  /// how the favourites are found (favourite_children.hpp); where the program is too large, they
  /// are found along paths.
  enum class FavouriteChildren {
    kNone,
    kAlongPaths,
    kByProgram
  } favourites = FavouriteChildren::kNone;
  double noise = 0;          // priorities are stretched by up to this share, at random
  std::size_t clusters = 0;  // devices are chosen for about so many merged groups; 0: for groups

  /// Whether `next` looks at pairs, which takes longer: at 10,000 ops 0.01 to 0.3 s, not 0.01 s.
  bool pairwise() const { return next >= Next::kEarliestStart; }
};

constexpr Names<3> names_of(ListRule::Group) { return {"first-op", "whole", "promises"}; }

/// Runs list schedulers on one problem, which must outlive it; what several rules need is computed
/// once.
class ListScheduler {
 public:
  /// `observer` is told where a rule could not do as it says.
  explicit ListScheduler(const Problem& problem, Observer observer = {});
  ~ListScheduler();

  /// Where `memory` is on and the rule's own choices do not fit, though some placement found by
  /// `fitting_devices` does, the schedule keeps to that one. `rng` is needed for noise only.
  ListSchedule run(const ListRule& rule, Rng* rng = nullptr);
  /// The same, where `placement` gives each group's device.
  ListSchedule run(const ListRule& rule, const Placement& placement, Rng* rng = nullptr);
  /// The rule's own choices, fit or not, where the first op of a group pays `surcharges`, in ps,
  /// group * devices + device, besides its finish.
  ListSchedule run(const ListRule& rule, const std::vector<double>& surcharges);

 private:
  class Run;
  struct Tables;
  struct Clusters;
  Placement clustered(const ListRule& rule, Rng* rng);

  std::unique_ptr<Tables> tables_;
  std::map<std::size_t, std::unique_ptr<Clusters>> clusters_;  // by their number in the rule
};

ListSchedule list_schedule(const Problem& problem, const ListRule& rule, Rng* rng = nullptr);

/// Every published rule and the combinations that add most to each other: HEFT, then by what they
/// brought on 61 pairs of a well-known model and a machine, then the rest as published. Geometric
/// mean of the step time over that of the best of them all: HEFT alone 1.26 (it does not see
/// activations), the first 2 rules 1.08, 3 1.019, 5 1.010, 10 1.003.
/// Those that look at pairs are left out for more than 30,000 ops, where each takes seconds.
std::vector<ListRule> portfolio_rules(std::size_t op_count = 0);

/// Those of them that take at most about a second: without those that look at pairs beyond 3,000
/// ops or 300,000 ops times devices (10,000 and 100,000 where they only place behind what is
/// there), and without lookahead beyond 2e8 edges times squared devices.
std::vector<ListRule> quick_rules(const Problem& problem);

/// The schedule of HEFT: ops by upward rank, each on the device where it finishes first (Topcuoglu,
/// Hariri, Wu 2002).
ListSchedule heft_schedule(const Problem& problem, ListSchedule::Rules rules);

}  // namespace placer
