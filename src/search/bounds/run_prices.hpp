#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "placer/base/deadline.hpp"
#include "search/groups/memory_fit.hpp"
#include "search/joins/device_kinds.hpp"
#include "search/joins/join_time.hpp"

namespace placer {

/// Prices of memory and of work on each kind of device, by which what the runs of a path leave no
/// room for makes the path longer. However groups are placed within a step of T, each kind's
/// devices hold at most their memories and work at most T on each slot. So, for any prices >= 0,
/// the path takes no less than the cheapest choice of runs and of kinds for the groups beside them,
/// at their prices, less what all memory and all time up to T are worth (Lagrangian relaxation).
class RunPrices {
 public:
  /// By link, and kinds of the devices before and after it: the least time to get there; kNeverPs
  /// where there is only one device.
  using Crossings = std::vector<std::vector<std::vector<Picoseconds>>>;

  /// `chain` are the groups of the path, in order; all others are beside it.
  RunPrices(const Problem& problem, const MemoryFit& fit, const DeviceKinds& kinds,
            const std::vector<GroupId>& chain, Crossings crossings_ps);

  struct Run {
    std::size_t first, last;  // links of the chain
    std::size_t kind;         // of its device
    Picoseconds path_ps;      // the path's time in it
  };
  /// Whether for some prices no choice of `runs`, the last ones first, ends in `limit_ps`; false
  /// where the problem's deadline has passed. The next time begins with the best prices of this
  /// one.
  bool refute(const std::vector<Run>& runs, Picoseconds limit_ps);

 private:
  static constexpr std::size_t kMemory = 0, kWork = 1;  // resources of a kind: 2 * kind + this

  bool change_prices(double more_ps);
  bool may_go(std::size_t group, std::size_t kind) const;
  double price_ps(std::size_t group, std::size_t kind) const;
  double share(std::size_t group, std::size_t kind, std::size_t resource) const;
  void use(std::size_t group, std::size_t kind);
  double chain_ps(const std::vector<Run>& runs);
  void price_links();
  void cross(std::size_t link);
  double beside_ps();

  const Deadline deadline_;
  const std::size_t kinds_, links_;
  const Crossings crossings_ps_;
  std::vector<double> memory_bytes_, slots_, slots_each_;  // by kind: of all its devices, of each
  // By group, those of the chain first, and kind: bytes and work; nothing where it may not go.
  struct Need {
    bool may_go = false;
    double bytes = 0, work_ps = 0;
  };
  std::vector<std::vector<Need>> needs_;
  std::vector<double> prices_ps_;  // by resource: of all there is
  std::vector<double> used_;       // by resource: the share in the last choice
  double limit_ps_ = 1;

  static constexpr double kNowhere = std::numeric_limits<double>::infinity();
  /// The least from a link on, with prices, and where that goes on.
  struct Step {
    double ps = kNowhere;
    std::size_t next = 0;  // the link after the run; the kind of the next run
  };
  // By link, and kind of the device of its run or, of `onward_`, of the link before it.
  std::vector<std::vector<Step>> within_, onward_;
  std::vector<std::vector<double>> until_ps_;  // by kind and link: prices of all links before it
};

}  // namespace placer
