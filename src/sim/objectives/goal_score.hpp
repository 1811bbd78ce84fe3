#pragma once

#include <optional>

#include "sim/objectives/call_latency.hpp"
#include "sim/objectives/contiguity.hpp"
#include "sim/objectives/device_loads.hpp"

namespace placer {

/// The score of placements by the problem's goal, where that is not the simulated step alone.
class GoalScore {
 public:
  explicit GoalScore(const Problem& problem);

  /// Whether `score` needs the step of the simulator.
  bool wants_step() const { return problem_.goal().objective == Objective::kLatency; }
  /// Of `placement`, whose simulated step scores `step`, where that is wanted.
  Score score(const Placement& placement, const Score& step);
  /// What the device holds at most under the placement scored last, where `wants_step` is false.
  std::int64_t bytes(DeviceId device) const { return loads_->bytes(device); }

 private:
  const Problem& problem_;
  std::optional<DeviceLoads> loads_;
  std::optional<CallLatency> calls_;
  ContiguityCheck contiguity_;
};

}  // namespace placer
