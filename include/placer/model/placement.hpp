#pragma once

#include <vector>

#include "placer/base/ids.hpp"

namespace placer {

/// The device of each group, by GroupId.
struct Placement {
  std::vector<DeviceId> devices;

  DeviceId operator[](GroupId group) const { return devices[group.index()]; }
  DeviceId& operator[](GroupId group) { return devices[group.index()]; }
  friend bool operator==(const Placement&, const Placement&) = default;
};

/// Group `group` goes to `device`, where it is allowed.
struct Move {
  GroupId group;
  DeviceId device;
};

/// For each device, the order in which it takes its ops (order `given`).
using Sequences = std::vector<std::vector<OpId>>;

/// All ops, each after its producers: order `given` as one list. Each device takes its ops as they
/// stand in it, which never deadlocks. Empty stands for each device's ops by upward rank.
using OpOrder = std::vector<OpId>;

}  // namespace placer
