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
  /// Does what Simulator::evaluate does without a schedule. Empty where only the general loop can
  /// do it.
  virtual std::optional<Score> evaluate(const Placement& placement, const Sequences* sequences) = 0;
  /// Does what Simulator::evaluate does under order `given`, for an order that is not empty.
  virtual std::optional<Score> evaluate(const Placement&, const OpOrder&) { return std::nullopt; }
  /// From now on a step that takes longer scores Score::too_long where its memory is in doubt.
  void want_until(Picoseconds most_ps) { most_ps_ = most_ps; }

 protected:
  Picoseconds most_ps_ = kAnyTime;
};

/// The fast path for `order` on this problem; null where there is none. The layout has to outlive
/// it.
std::unique_ptr<FastPath> make_fast_path(const CompactLayout& layout, Order order);

}  // namespace placer
