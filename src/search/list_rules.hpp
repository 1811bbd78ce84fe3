#pragma once

#include <memory>
#include <vector>

#include "placer/base/rng.hpp"
#include "search/list_schedule.hpp"

namespace placer {

/// One list scheduler: a value for each question that the family answers differently.
struct ListRule {
  /// Which ready op comes next. The first four have a priority for each op from the start; the
  /// others look at every pair of a ready op and a device each time (of the 1,000 ready ops of
  /// largest upward rank, where more are ready).
  enum class Next {
    kUpwardRank,      // longest path of mean costs to the end (HEFT)
    kPathThrough,     // longest path of mean costs through it (CPOP)
    kOptimisticCost,  // mean of its optimistic costs (PEFT)
    kProgram,         // program order
    kEarliestStart,   // the pair that can start first, ties by larger upward rank (ETF)
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
  bool favourites = false;  // with kEarliestStart: a device waits for the favourite child (SCT)
  double noise = 0;         // priorities are stretched by up to this share, at random
};

/// Runs list schedulers on one problem, which must outlive it; what several rules need is computed
/// once.
class ListScheduler {
 public:
  explicit ListScheduler(const Problem& problem);
  ~ListScheduler();

  /// Where `memory` is on and the rule's own choices do not fit, though some placement found by
  /// `fitting_devices` does, the schedule keeps to that one. `rng` is needed for noise only.
  ListSchedule run(const ListRule& rule, Rng* rng = nullptr);
  /// The same with a device for each group given.
  ListSchedule run(const ListRule& rule, const Placement& placement, Rng* rng = nullptr);

 private:
  class Run;
  struct Tables;
  std::unique_ptr<Tables> tables_;
};

ListSchedule list_schedule(const Problem& problem, const ListRule& rule, Rng* rng = nullptr);

/// Rules worth trying on any graph, the most promising first.
std::vector<ListRule> portfolio_rules();

/// HEFT: ops by upward rank, each to the device where it finishes first (Topcuoglu, Hariri, Wu
/// 2002).
ListSchedule heft_schedule(const Problem& problem, ListSchedule::Rules rules);

}  // namespace placer
