#pragma once

#include <cstdint>
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

  /// Adds the ops of a longest chain of calls and ops on hosts in what was scored last, from its
  /// end; where calls wait for each other, those that never start.
  void add_critical(std::vector<OpId>& ops) const;

 private:
  using Node = std::uint32_t;  // an op on a host, by the op, or a call, by op_count + its device
  static constexpr Node kNone = static_cast<Node>(-1);

  void find_nodes(const DeviceLoads& loads);
  void count_waits();
  std::int64_t finish(Node node, Picoseconds end_ps);
  void add_ops(Node node, std::vector<OpId>& ops) const;

  const Problem& problem_;
  std::vector<std::size_t> reader_offsets_;  // by op
  std::vector<std::uint32_t> readers_;       // ops that read an output, once for each
  std::vector<Node> node_of_;                // by op
  std::vector<std::uint32_t> next_op_;       // by op: the next of its node, or kNone
  // By node:
  std::vector<std::uint32_t> first_op_;
  std::vector<Picoseconds> start_ps_, time_ps_;
  std::vector<Node> waited_for_;       // what it starts after; kNone: it starts at once
  std::vector<std::uint32_t> inputs_;  // from other nodes, those yet to come
  std::vector<Node> ready_;
  Node last_ = kNone;  // to end
};

}  // namespace placer
