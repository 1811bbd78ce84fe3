#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/compact_layout.hpp"

namespace placer {

/// What a simulation in fifo order did, step by step. In each step the op that became ready first
/// (ties by id) is given its time on its device, and what it sends is given its times on the links.
/// Everything from some step on can be moved in time at little cost.
class Trace {
 public:
  struct Step {
    std::uint32_t op = 0;
    std::uint32_t pending = 0;  // ops that were ready but had not had their step: this one's, too
    Picoseconds ready_ps = 0, end_ps = 0;
    Picoseconds last_ps = 0;    // the latest of the op's end and of the arrivals of what it sends
    Picoseconds latest_ps = 0;  // the latest `last_ps` of the steps before
  };
  struct Input {
    std::uint32_t producer, edge;
  };

  explicit Trace(const CompactLayout& layout);

  const CompactLayout& layout() const { return layout_; }
  std::span<const Input> inputs(std::uint32_t op) const {
    return {inputs_.data() + layout_.first_input[op], inputs_.data() + layout_.first_input[op + 1]};
  }
  /// The edges of all that the op sends are first_edge(op) .. first_edge(op + 1).
  std::uint32_t first_edge(std::uint32_t op) const { return first_edge_[op]; }

  std::size_t size() const { return steps_.size(); }
  std::uint32_t step_of(std::uint32_t op) const { return step_of_[op]; }
  std::uint32_t op(std::size_t step) const { return steps_[step].op; }
  std::uint32_t pending(std::size_t step) const { return steps_[step].pending; }
  Picoseconds ready_ps(std::size_t step) const { return steps_[step].ready_ps + shift(step); }
  Picoseconds end_ps(std::size_t step) const { return steps_[step].end_ps + shift(step); }
  Picoseconds last_ps(std::size_t step) const { return steps_[step].last_ps + shift(step); }
  Picoseconds latest_ps(std::size_t step) const { return steps_[step].latest_ps + shift(step); }
  /// When the tensor of `edge`, which the op of `step` sends, is on the consumer's device.
  Picoseconds arrival_ps(std::size_t step, std::uint32_t edge) const {
    return arrivals_[edge] + shift(step);
  }

  /// Forgets everything; the ops without inputs come first, by id, so that a simulation can begin.
  void clear();
  /// Replaces a step by `made` and the arrivals of its op's edges, all `later_ps` later.
  void write(std::size_t step, const Step& made, const Picoseconds* arrivals, Picoseconds later_ps);
  /// Makes all steps from `first` on happen `later_ps` later.
  void move(std::size_t first, Picoseconds later_ps);

 private:
  static constexpr std::size_t kBlockBits = 7;
  Picoseconds shift(std::size_t step) const { return shifts_[step >> kBlockBits]; }

  const CompactLayout& layout_;
  std::vector<Input> inputs_;              // op by op, from the layout's first_input
  std::vector<std::uint32_t> first_edge_;  // by op, and the end
  std::vector<Step> steps_;                // times without the shift of the step's block
  std::vector<Picoseconds> arrivals_;      // by edge, without the shift of the producer's step
  std::vector<Picoseconds> shifts_;        // by block of steps
  std::vector<std::uint32_t> step_of_;     // by op
};

}  // namespace placer
