#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "search/joins/heads_and_tails.hpp"

namespace placer {

/// How long a step is at least in which a device does all work of a run of groups: over thresholds
/// r and q, r + the work of the run's ops with a head of at least r and a tail of at least q + q.
class RunLoads {
 public:
  RunLoads(const Problem& problem, const MemoryFit& fit, const HeadsAndTails& times,
           const std::vector<GroupId>& groups, DeviceId device);

  void begin() { work_ps_ = {}; }
  /// The run has `groups[link]` as well.
  void add(std::size_t link);
  Picoseconds least_step_ps() const;

 private:
  static constexpr std::size_t kThresholds = 16;  // of heads, and as many of tails
  using Table = std::array<Picoseconds, kThresholds * kThresholds>;

  std::array<Picoseconds, kThresholds> heads_ps_, tails_ps_;
  std::int64_t slots_;
  std::vector<Table> works_ps_;  // by link
  Table work_ps_ = {};           // of the run
};

}  // namespace placer
