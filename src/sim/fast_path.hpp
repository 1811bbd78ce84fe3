#pragma once

#include <memory>
#include <optional>

#include "placer/sim/simulator.hpp"
#include "sim/compact_layout.hpp"

namespace placer {

/// Finds scores without events, where the order in which devices take ops allows it.
class FastPath {
 public:
  virtual ~FastPath() = default;
  /// As Simulator::evaluate without a schedule. Nothing where the general loop must do it.
  virtual std::optional<Score> evaluate(const Placement& placement, const Sequences* sequences) = 0;
};

/// The one that serves `order` on this problem, which outlives it; null where none does.
std::unique_ptr<FastPath> make_fast_path(const CompactLayout& layout, Order order);

}  // namespace placer
