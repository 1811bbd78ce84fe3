#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "placer/model/problem.hpp"
#include "search/exact/host_paths.hpp"
#include "search/groups/pipeline_units.hpp"
#include "sim/objectives/device_loads.hpp"

namespace placer {

/// The load of a stage that is not possible, beyond all others.
inline constexpr Picoseconds kNoTimePs = std::numeric_limits<Picoseconds>::max();

/// The speed classes of a device's links, distinct and rising.
struct LinkSpeeds {
  std::vector<std::size_t> out, in;
};
LinkSpeeds link_speeds(const Topology& topology, DeviceId device);

/// What a stage costs on each of some devices, as units are added to it and taken back: the load
/// and the memory of DeviceLoads; under call-latency the time of a call or, on a host, of the
/// longest path. Of a tensor that leaves the stage or comes to it only the stage's
/// own end is known; it is taken over the fastest link there is, so that no load is above what it
/// is in a whole placement.
class StageCosts {
 public:
  StageCosts(const Problem& problem, const std::vector<PipelineUnit>& units,
             std::vector<DeviceId> devices);

  void add(std::uint32_t unit);
  /// Takes back the unit that was added last.
  void take_back();

  /// Whether the stage, with whatever is added to it, takes longer or does not fit.
  bool is_beyond(std::size_t device, Picoseconds most_ps) const;
  bool fits(std::size_t device) const;
  Picoseconds load_ps(std::size_t device) const;

  /// The load of a whole step of so many micro-batches, in which some ops run once.
  Picoseconds step_load_ps(std::size_t device, std::int64_t micro_batches) const;
  /// How many micro-batches the device has room for: parameters once, what waits for backward ops
  /// for each of them, all else for one. Below 1 where not even one fits; minus infinity where some
  /// unit may not be there.
  double room(std::size_t device) const;
  /// What replicas of the stage sum at the end of a step.
  std::int64_t gradient_bytes() const { return gradient_bytes_; }

 private:
  struct Sums {
    Picoseconds work_ps = 0, once_ps = 0, sent_ps = 0, received_ps = 0;
    std::int64_t barred_groups = 0;
  };
  struct TensorState {
    std::uint32_t consumers = 0;  // in the stage
    bool is_made = false;         // in the stage
  };

  void fill_tables();
  Picoseconds call_ps(std::size_t device) const;
  void change(std::uint32_t unit, int sign);
  void count(TensorId tensor, int sign);

  const Problem& problem_;
  const std::vector<PipelineUnit>& units_;
  const std::vector<DeviceId> devices_;
  const bool is_calls_;           // what the goal asks for
  HostPaths paths_;               // on those of devices_ that are hosts, where calls count
  const std::vector<char> once_;  // by op
  std::vector<std::int64_t> gradient_bytes_of_;  // by op: that replicas sum
  std::vector<Picoseconds> out_ps_, in_ps_;      // tensor * devices + device
  std::vector<std::uint32_t> added_;
  std::vector<Sums> sums_;  // by device
  std::vector<TensorState> states_;
  StaticMemory memory_;  // of the stage, in the place of the first device
  std::int64_t gradient_bytes_ = 0;
  std::int64_t params_bytes_ = 0;   // no unit takes them away again
  std::int64_t waiting_bytes_ = 0;  // for the backward ops of a micro-batch
};

}  // namespace placer
