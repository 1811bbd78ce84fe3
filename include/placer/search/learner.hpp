#pragma once

#include <cstddef>
#include <cstdint>

#include "placer/search/policy.hpp"
#include "placer/search/search.hpp"

namespace placer {

/// One update's place in a training.
struct Turn {
  std::size_t graph = 0;    // which of the problems that the learner was made for
  std::int64_t number = 0;  // of the update, from 0, over all graphs
  double progress = 0;      // share of the whole budget that is spent, 0 to 1
  Rng rng;                  // this update's own stream: resuming needs no generator's state
};

/// A policy that learns, one update at a time, on one graph or on several in turn. All that an
/// update depends on is its turn, what the searches found, and what `save` writes.
class Learner {
 public:
  virtual ~Learner() = default;

  /// Makes one update: draws placements, has them scored (at least one, unless the budget is spent)
  /// and learns from them. `search` is over the problem `turn.graph`. An update that the end of the
  /// budget cuts short may be left out.
  virtual void update(Search& search, Turn turn) = 0;

  /// Places `search`'s graph, problem number 0, by the policy as it stands: its most probable
  /// placement first, then a few samples.
  virtual void apply(Search& search, Rng rng) = 0;

  /// Writes what was learnt into the policy's weights, state and counters.
  virtual void save(Policy& policy) const = 0;
  /// Takes the policy's weights and, where it has any, its state. Throws Error where their shapes
  /// are not those of this learner.
  virtual void load(const Policy& policy) = 0;
};

}  // namespace placer
