#pragma once

#include <vector>

#include "search/bounds/call_costs.hpp"
#include "search/bounds/path_places.hpp"

namespace placer {

/// What a call that has the ops of a path from one place to another takes at least besides these
/// and the tensors that must cross: an op beside them that they read from, or that reads from them,
/// is elsewhere, so that its tensor is copied, or it is in the call as well and takes its time, and
/// in its turn reads from what cannot be in the call, or is read there. The dearest such way
/// counts, as ways may share what they take.
class CallSides {
 public:
  CallSides(const CallCosts& costs, const PathPlaces& path);

  /// Looks at calls whose run begins at `place`.
  void begin(std::size_t place);
  /// On the way into an op of the run through the tensor, which it reads.
  Picoseconds before_ps(TensorId tensor) const;
  /// On the way out of a run from the place of `begin` to `last`.
  Picoseconds after_ps(std::size_t last) const { return after_ps_[last][first_]; }

 private:
  bool is_alone(OpId op) const;
  Picoseconds input_ps(TensorId tensor) const;
  Picoseconds with_ps(OpId op, Picoseconds way_ps) const;
  std::vector<Picoseconds> ways_after(std::int64_t last);

  const CallCosts& costs_;
  const Graph& graph_;
  const PathPlaces& path_;
  std::vector<char> has_reader_in_group_;  // by tensor: of several ops
  std::size_t first_ = 0;
  std::vector<Picoseconds> way_ps_;                 // by op: what it takes to have it in the call
  std::vector<std::vector<Picoseconds>> after_ps_;  // by last place, by first
};

}  // namespace placer
