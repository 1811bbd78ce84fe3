#pragma once

#include <cstddef>
#include <vector>

#include "placer/model/topology.hpp"

namespace placer {

/// The machine with `kept` of its devices, at least one, in their order there, and the links that
/// still mean some of them.
Topology topology_of(const Topology& topology, const std::vector<DeviceId>& kept);

/// Sets of devices that differ in how many of each kind they have, the first ones of it: every set
/// but the empty one, smaller sets first, each in id order. Where there are more than `most`, the
/// counts are 0, powers of two and all; then they may still be more. Devices that are alike but for
/// their names are of a kind.
std::vector<std::vector<DeviceId>> device_subsets(const Topology& topology, std::size_t most);
/// The most that are counted.
inline constexpr std::size_t kMostDeviceSubsets = 1'000'000;
/// How many these are, without making them; kMostDeviceSubsets where there are more.
std::size_t device_subset_count(const Topology& topology, std::size_t most);

}  // namespace placer
