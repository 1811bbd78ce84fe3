#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "placer/model/problem.hpp"

namespace placer {

/// Op `op` goes to `position` in the order, or as near to it as its producers and consumers let it.
struct OpShift {
  OpId op;
  std::size_t position = 0;
};

/// An order of ops beside a proposed one that differs by shifts.
class WalkOrder {
 public:
  /// `order` is empty or a topological order of the problem's ops.
  WalkOrder(const Problem& problem, OpOrder order);

  const OpOrder& current() const { return current_; }
  const OpOrder& proposed() const { return proposed_; }
  /// The position of `op` in the current order.
  std::size_t position(OpId op) const { return position_[op.index()]; }

  /// Takes back the last proposal and makes a new one. Where the order is empty, `shifts` has to be
  /// empty as well.
  void propose(std::span<const OpShift> shifts);
  void accept();

 private:
  void shift(const OpShift& wanted);

  const Graph* graph_;
  OpOrder current_, proposed_;
  std::vector<std::size_t> position_, proposed_position_;
  std::size_t first_ = 0, end_ = 0;  // where the two may differ
};

}  // namespace placer
