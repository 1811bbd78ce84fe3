#pragma once

#include <span>
#include <vector>

#include "placer/model/placement.hpp"
#include "placer/model/problem.hpp"
#include "placer/sim/score.hpp"
#include "sim/objectives/static_memory.hpp"

namespace placer {

/// How long a device is busy for one step of an endless pipeline, by what its ops, what it sends
/// and what it receives take. Its slots share the ops out. Hosts do not pay for copies. Where
/// transfers overlap, the larger of computing, sending and receiving counts (sending and receiving
/// together under contention `half-duplex`), else their sum.
Picoseconds pipeline_load(const Topology& topology, DeviceId device, Picoseconds ops_ps,
                          Picoseconds sent_ps, Picoseconds received_ps);

/// The pipeline_load of each device under a placement that changes by moves: each tensor that
/// leaves a device or comes to it counts once (max-load in Tarnawski et al., NeurIPS 2020). One
/// that leaves for several devices takes as long as to the slowest. A move costs as much as its ops
/// have producers and consumers, and these consumers of the same tensors.
class DeviceLoads {
 public:
  explicit DeviceLoads(const Problem& problem);

  /// From scratch.
  void place(const Placement& placement);
  void move(std::span<const Move> moves);

  /// The largest load, and what is over the memories.
  Score score() const;
  Picoseconds load_ps(DeviceId device) const;
  /// Its ops and copies one after the other, without slots and overlap.
  Picoseconds serial_ps(DeviceId device) const;
  std::int64_t bytes(DeviceId device) const { return memory_.bytes(device); }
  const Placement& placement() const { return placement_; }

 private:
  void count_op(OpId op, int sign);
  void count_tensor(TensorId tensor, int sign);
  void collect_tensors(std::span<const Move> moves);

  const Problem& problem_;
  Placement placement_;
  std::vector<Picoseconds> work_ps_, sent_ps_, received_ps_;  // by device
  StaticMemory memory_;
  std::vector<std::uint64_t> met_;  // by device: the last tensor's stamp
  std::uint64_t stamp_ = 0;
  std::vector<char> is_touched_;  // by tensor
  std::vector<TensorId> touched_;
};

}  // namespace placer
