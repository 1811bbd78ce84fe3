#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "placer/sim/score.hpp"
#include "sim/commits.hpp"
#include "sim/ready_queue.hpp"

namespace placer {

/// First come, first served, where the order of commits is that of the ops' ready times.
class FifoPath {
 public:
  static bool serves(const CompactLayout& layout) {
    return layout.sole_senders() && layout.transfers_take_time();
  }
  /// `layout` is one that it serves, and outlives it.
  explicit FifoPath(const CompactLayout& layout);

  /// Nothing where an op takes no time, the step is too long for the keys, or memory may be short.
  std::optional<Score> evaluate(const Placement& placement);

 private:
  const CompactLayout& layout_;
  const int id_bits_;
  Commits commits_;
  ReadyQueue queue_;                    // ready time << id bits | id
  std::vector<std::uint64_t> sources_;  // keys
};

}  // namespace placer
