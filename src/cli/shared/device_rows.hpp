#pragma once

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

/// "least to most" in words, or one of them where they read the same.
std::string range_text(const std::string& least, const std::string& most);

}  // namespace placer
