#pragma once

#include <span>
#include <string>
#include <vector>

#include "placer/model/topology.hpp"

namespace placer {

/// The devices that one row of a table for people is about.
struct DeviceRow {
  std::string name;               // "gpu:0", or "gpu:0 and 999 others"
  std::vector<DeviceId> devices;  // in id order, at least one; all have the same capacity
};

/// A row for each device where they are at most 64; else one for all of a type and capacity, or, if
/// there are more than 64 of these, one for all of a capacity.
std::vector<DeviceRow> device_rows(const Topology& topology);

/// The names of devices as people read them: "gpu:0 to gpu:15" where five or more in a row are
/// numbered through. Of more than 16 such parts the last is "984 more".
std::vector<std::string> device_ranges(const Topology& topology, std::span<const DeviceId> devices);

/// "least to most" in words, or one of them where they read the same.
std::string range_text(const std::string& least, const std::string& most);

}  // namespace placer
