#pragma once

#include <cstdint>
#include <vector>

#include "placer/base/units.hpp"

namespace placer {

/// An op that another one, the join, waits for on a device. Run there: not before `release_ps`, for
/// `work_ps`, and the join starts `delivery_ps` after its end at the earliest. Run elsewhere: the
/// join does not start before `elsewhere_ps`.
struct JoinedOp {
  Picoseconds release_ps, work_ps, delivery_ps, elsewhere_ps;
};

/// Works out when joins can start; keeps its buffers.
class JoinTime {
 public:
  /// Nothing starts the join earlier on a device with so many slots. Sorts `ops`.
  Picoseconds earliest_ps(std::vector<JoinedOp>& ops, std::int64_t slots);

 private:
  /// If the ops that cannot be elsewhere by `limit_ps` run on the device; `ops` by release.
  Picoseconds start_ps(const std::vector<JoinedOp>& ops, Picoseconds limit_ps, std::int64_t slots);
  Picoseconds one_slot_ps(const std::vector<JoinedOp>& ops, Picoseconds limit_ps);
  /// Until `until_ps`; the latest start of the join for the ops that end by then.
  Picoseconds run_waiting(Picoseconds until_ps);

  struct Waiting {
    Picoseconds left_ps, delivery_ps;
  };
  std::vector<Waiting> waiting_;  // a heap, longest delivery first
  Picoseconds now_ps_ = 0;
  std::vector<Picoseconds> limits_ps_;
};

}  // namespace placer
