#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "placer/base/units.hpp"
#include "search/joins/one_machine.hpp"

namespace placer {

/// The time of what cannot happen: on a device where an op may not go, or within a memory limit.
inline constexpr Picoseconds kNeverPs = std::numeric_limits<Picoseconds>::max();

/// An op that another one, the join, waits for. On the join's device it runs for `work_ps`, not
/// before `release_ps`, and the join starts `delivery_ps` after its end at the earliest. If it runs
/// elsewhere, the join does not start before `elsewhere_ps`.
struct JoinedOp {
  Picoseconds release_ps, work_ps, delivery_ps, elsewhere_ps;
};

/// Works out when joins can start. It is an object only to keep its buffers.
class JoinTime {
 public:
  /// A time before which the join cannot start on a device with so many slots. Sorts `ops`.
  Picoseconds earliest_ps(std::vector<JoinedOp>& ops, std::int64_t slots);

 private:
  /// When the join can start if those of `ops`, sorted by release, that cannot be elsewhere by
  /// `limit_ps` run on its device.
  Picoseconds start_ps(const std::vector<JoinedOp>& ops, Picoseconds limit_ps, std::int64_t slots);
  Picoseconds one_slot_ps(const std::vector<JoinedOp>& ops, Picoseconds limit_ps);

  OneMachine machine_;
  std::vector<Picoseconds> limits_ps_;
};

}  // namespace placer
