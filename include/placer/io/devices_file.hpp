#pragma once

#include <string>
#include <vector>

#include "placer/model/topology.hpp"

namespace placer {

/// Reads a `placer-devices` file. Throws Error: "FILE: JSON path: expected ..., found ...".
Topology read_devices(const std::string& path);
/// The same from text; `file` is what errors call it.
Topology parse_devices(const std::string& text, const std::string& file);
std::string write_devices(const Topology& topology);

/// The names of the specs of configs/devices, which are compiled in ("4gpu"), in alphabetical
/// order.
std::vector<std::string> shipped_device_names();
/// The file `name_or_path`, or the shipped spec of that name, or a list such as "2xA100-80,1xCPU"
/// (kinds as in configs/README.md, in upper or lower case); a file that exists wins. Throws Error
/// that lists the shipped names, or the kinds.
Topology find_devices(const std::string& name_or_path);

}  // namespace placer
