#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "search/groups/memory_fit.hpp"
#include "search/joins/join_time.hpp"

namespace placer {

/// The direction in which a step is read: a join waits for the producers of its inputs, or, read
/// backwards, for the consumers of its outputs.
enum class Toward { kEnd, kStart };

/// How far to look back from a join: to the ops that it waits for directly or, where these are
/// several, also to those before them.
enum class Depth { kDirect, kBranches };

/// The ops right before a join, and how long their outputs take to get to it over other ops and
/// devices.
class JoinRegion {
 public:
  JoinRegion(const Problem& problem, const MemoryFit& fit, Toward toward);

  /// Finds the region around `join`, which runs on `places.front()`. Ops of the region may run
  /// there or on the other `places`. The ops come nearest first.
  void find(OpId join, std::span<const DeviceId> places, Depth depth);

  std::span<const OpId> ops() const { return ops_; }
  /// The least time from the end of the i-th op on the k-th place to the start of the join; the
  /// largest number of picoseconds there is where the op cannot run there.
  Picoseconds path_ps(std::size_t i, std::size_t k) const {
    return paths_ps_[i * places_.size() + k];
  }

 private:
  std::size_t direct_count(OpId op) const;
  void extend(OpId op);
  void lengthen(OpId before, TensorId tensor, OpId op);
  Picoseconds over_ps(GroupId group, TensorId tensor, std::size_t from, OpId op) const;
  Picoseconds onward_ps(TensorId tensor, std::size_t from, OpId op, std::size_t to) const;
  std::size_t slot_of(OpId op);

  struct Open {
    std::int64_t nearness;  // to the join, in program order
    OpId op;
    friend auto operator<=>(const Open&, const Open&) = default;
  };
  const Problem& problem_;
  const MemoryFit& fit_;
  const Toward toward_;
  std::vector<std::int32_t> slots_;  // by op: its index in ops_, or -1
  OpId join_;
  std::span<const DeviceId> places_;
  std::vector<OpId> ops_;
  std::vector<Open> open_;             // not yet extended: a heap, nearest first
  std::vector<Picoseconds> paths_ps_;  // op of the region * places + place
};

}  // namespace placer
