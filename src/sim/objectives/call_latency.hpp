#pragma once

#include <vector>

#include "placer/model/problem.hpp"
#include "placer/sim/score.hpp"
#include "sim/objectives/device_loads.hpp"

namespace placer {

/// The time of one step in which each device that is no host runs its ops in a single call: it
/// waits for all inputs from elsewhere, copies each of them in once, runs its ops one after the
/// other, and copies out each tensor that is needed elsewhere, at the speed of the slowest that
/// needs it; all of its results are there at the end. A host's op starts when its inputs are there;
/// hosts have room for any number at once and copy nothing (latency in Tarnawski et al., NeurIPS
/// 2020).
class CallLatency {
 public:
  explicit CallLatency(const Problem& problem);

  /// Of the placement of `loads`. Memory as in StaticMemory. Where calls wait for each other, the
  /// ops that never start are astray, and the time is that of all calls and ops one after the
  /// other.
  Score score(const DeviceLoads& loads);

 private:
  void count_calls(const DeviceLoads& loads);
  std::int64_t finish(std::size_t node, Picoseconds end_ps);

  const Problem& problem_;
  std::vector<std::size_t> node_of_;             // by op
  std::vector<Picoseconds> start_ps_, time_ps_;  // by node: an op on a host, or a device's call
  std::vector<std::size_t> waits_for_;           // by node: inputs from other nodes
  std::vector<std::vector<OpId>> ops_of_call_;   // by device
  std::vector<std::size_t> ready_;
};

}  // namespace placer
