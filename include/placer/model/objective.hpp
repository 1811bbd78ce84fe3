#pragma once

#include <vector>

#include "placer/base/ids.hpp"
#include "placer/base/names.hpp"

namespace placer {

/// What is minimised:
///  - latency: the time of one step, as the event-driven simulator has it;
///  - throughput: seconds per step of an endless pipeline, in which every device is at work on a
///    step of its own: what its busiest device does for one step (max-load in Tarnawski et al.,
///    NeurIPS 2020, section 3);
///  - call-latency: the time of one step in which each device that is no host runs all of its ops
///    in one call: it waits for all inputs from elsewhere, copies them in, computes, and copies
///    out what others need (latency in the same paper, section 4).
enum class Objective { kLatency, kThroughput, kCallLatency };
constexpr Names<3> names_of(Objective) { return {"latency", "throughput", "call-latency"}; }

/// What placements may look like. Only ops of the forward pass count:
///  - none: nothing is asked;
///  - contiguous: no path leaves a device and comes back to it;
///  - stages: the devices that are used stand in an order in which every tensor goes to the same
///    device or to a later one, as in a pipeline. Such placements are contiguous.
enum class Contiguity { kNone, kContiguous, kStages };

/// By what placements are judged besides memory.
struct Goal {
  Objective objective = Objective::kLatency;
  Contiguity contiguity = Contiguity::kNone;
  /// Under `stages`: all devices in their order; empty: they may stand in any.
  std::vector<DeviceId> stages;

  /// Whether the score is the step time of the simulator alone.
  bool is_step() const {
    return objective == Objective::kLatency && contiguity == Contiguity::kNone;
  }
  friend bool operator==(const Goal&, const Goal&) = default;
};

}  // namespace placer
