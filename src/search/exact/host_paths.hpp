#pragma once

#include <cstdint>
#include <vector>

#include "placer/model/problem.hpp"
#include "search/groups/pipeline_units.hpp"

namespace placer {

/// How long the units of a stage take on some devices, as units are added and taken back, where any
/// number of ops run at once and copies take no time: the longest path through them. Units come
/// after those that they read from; inputs from elsewhere are there at the start.
class HostPaths {
 public:
  HostPaths(const Problem& problem, const std::vector<PipelineUnit>& units,
            std::vector<DeviceId> hosts);

  void add(std::uint32_t unit);
  /// Takes back the unit that was added last.
  void take_back();
  /// Of the `host`th of the devices.
  Picoseconds longest_ps(std::size_t host) const;

 private:
  const Problem& problem_;
  const std::vector<DeviceId> hosts_;
  std::vector<std::vector<OpId>> ops_;  // by unit, in program order
  std::vector<std::uint32_t> added_;
  std::vector<Picoseconds> end_ps_;      // op * hosts + host: 0 where it is not in the stage
  std::vector<Picoseconds> longest_ps_;  // after each unit that was added, by host
};

}  // namespace placer
