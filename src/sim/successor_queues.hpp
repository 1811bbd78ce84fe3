#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sim/compact_layout.hpp"
#include "sim/op_set.hpp"

namespace placer {

/// An op in a step that runs.
struct RunningOp {
  std::uint32_t device;
  std::uint32_t missing;  // inputs that are not there yet
};

/// The ready ops of each device under Order::kMsr. A device's ops are kept by which devices they
/// would give a ready op: which of those are idle changes the ranks of all of a kind alike, so that
/// only the first of each kind is looked at. All memory is reserved when built.
class SuccessorQueues {
 public:
  /// What ranks depend on, by op of the layout.
  struct State {
    const std::vector<RunningOp>& ops;
    const std::vector<Picoseconds>& ranks;     // upward
    const std::vector<Picoseconds>& ready_ps;  // since when it waits
  };

  /// What it is given outlives it.
  SuccessorQueues(const CompactLayout& layout, const State& state);

  /// Nothing waits any more.
  void clear();
  void push(std::uint32_t op);
  /// To be called when an input of `op` has come, and others are missing still.
  void delivered(std::uint32_t op);
  /// What waits by now tells which devices are idle, until the next call.
  void begin_round();
  /// The op to be taken next; empty where none waits on the device.
  std::optional<std::uint32_t> pop(std::uint32_t device);
  /// How many ops were compared by `pop` since the last call.
  std::size_t take_steps() { return std::exchange(steps_, 0); }

 private:
  static constexpr std::uint32_t kNone = ~0U;

  /// One op after or before another.
  struct Neighbour {
    std::uint32_t op;
    std::uint32_t inputs;  // of the later of the two, that the earlier makes
  };
  /// A waiting op and those after it, in a skew heap.
  struct Node {
    std::uint32_t kind = kNone;  // kNone: it does not wait
    std::uint32_t left, right, parent;
    std::int64_t rank;  // where no device is idle
  };
  /// The ops of one device that make ops ready on the same other devices. The first kinds, one for
  /// each device, make none; each other one makes one more than its parent.
  struct Kind {
    std::uint32_t parent, to;
    std::uint32_t first_child = kNone, next_sibling = kNone;
    std::uint32_t next_listed = kNone;  // of the device
    std::uint32_t top = kNone;          // of the heap
    bool is_listed = false;
  };

  void find_successors();
  void find_predecessors();
  std::uint32_t kind_with(std::uint32_t kind, std::uint32_t to);
  std::int64_t idle_rank(std::uint32_t kind) const;
  bool comes_before(std::uint32_t a, std::uint32_t b) const;
  std::uint32_t merged(std::uint32_t a, std::uint32_t b);
  void change_waiting(std::uint32_t device, int by);
  void insert(std::uint32_t op, std::uint32_t kind);
  void remove(std::uint32_t op);

  const CompactLayout& layout_;
  const State state_;
  std::vector<Neighbour> successors_;
  std::vector<std::uint32_t> first_successor_;    // by op, and one more: the end
  std::vector<Neighbour> predecessors_;           // of each op, the fewest inputs first
  std::vector<std::uint32_t> first_predecessor_;  // by op, and one more: the end
  std::vector<Node> nodes_;                       // by op
  std::vector<Kind> kinds_;
  std::vector<std::uint32_t> targets_;     // of one op; kept for its memory
  std::vector<std::uint32_t> first_kind_;  // by device, of those with ops
  std::vector<std::int32_t> waiting_;      // by device
  std::vector<char> is_idle_;              // by device, when the round began
  std::vector<std::uint32_t> changed_;     // devices that have become idle or busy since
  OpSet changed_set_;                      // the same devices
  std::size_t steps_ = 0;
};

}  // namespace placer
