#pragma once

#include <optional>
#include <string>
#include <vector>

#include "placer/model/topology.hpp"

namespace placer {

/// A machine that differs from another in one thing.
struct MachineChange {
  std::string name;  // "without gpu:1"
  Topology topology;
  /// By device of the other machine, the device here that takes its place; empty: none is alike.
  std::vector<std::optional<DeviceId>> now;
  bool only_adds = false;     // whatever the other machine does, this one could
  bool only_removes = false;  // the other way round
};

/// Every link twice as fast; `more_bytes` more memory on every device; of each kind of devices one
/// more and, where another device stays, one less; and each kind but hosts instead of each other
/// one. Devices that are alike but for their names are of a kind. A device more is linked as the
/// last of its kind is.
std::vector<MachineChange> machine_changes(const Topology& topology, std::int64_t more_bytes);

}  // namespace placer
