#pragma once

#include <cstdint>
#include <vector>

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
  /// `chain` are the groups of the path, in order; all others are beside it.
  RunPrices(const Problem& problem, const MemoryFit& fit, const DeviceKinds& kinds,
            const std::vector<GroupId>& chain);

  struct Run {
    std::size_t first, last;  // links of the chain
    std::size_t kind;         // of its device
    Picoseconds path_ps;      // the path's time in it
  };
  /// By link, and kinds of the devices before and after it: the least time to get there.
  using Crossings = std::vector<std::vector<std::vector<Picoseconds>>>;

  /// Whether for some prices no choice of `runs`, the last ones first, ends in `limit_ps`. The next
  /// time begins with the prices that were the best of this one.
  bool refute(const std::vector<Run>& runs, const Crossings& crossings_ps, Picoseconds limit_ps);

 private:
  static constexpr std::size_t kMemory = 0, kWork = 1;  // resources of a kind: 2 * kind + this

  double price_ps(std::size_t group, std::size_t kind) const;
  double share(std::size_t group, std::size_t kind, std::size_t resource) const;
  void use(std::size_t group, std::size_t kind);
  double chain_ps(const std::vector<Run>& runs, const Crossings& crossings_ps);
  double beside_ps();

  std::size_t kinds_, links_;
  std::vector<std::int64_t> memory_bytes_, slots_;  // by kind, of all its devices
  // By group, those of the chain first, and kind: bytes and work; below 0 where it may not go.
  std::vector<std::vector<std::int64_t>> bytes_;
  std::vector<std::vector<Picoseconds>> work_ps_;
  std::vector<double> prices_ps_;  // by resource: of all there is
  std::vector<double> used_;       // by resource: the share in the last choice
  double limit_ps_ = 1;
};

}  // namespace placer
