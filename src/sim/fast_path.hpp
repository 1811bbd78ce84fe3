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
  /// Does what Simulator::evaluate_within does. Empty where only the general loop can do it.
  virtual std::optional<Score> evaluate(const Placement& placement, const Sequences* sequences,
                                        Picoseconds most_ps = kAnyTime) = 0;
  /// The same under order `given`, for an order that is not empty.
  virtual std::optional<Score> evaluate(const Placement&, const OpOrder&,
                                        Picoseconds /*most_ps*/ = kAnyTime) {
    return std::nullopt;
  }
};

/// The fast path for `order` on this problem; null where there is none. The layout has to outlive
/// it.
std::unique_ptr<FastPath> make_fast_path(const CompactLayout& layout, Order order);

}  // namespace placer
