#pragma once

#include <optional>
#include <string>

#include "placer/model/topology.hpp"

namespace placer {

/// The topology that "2xA100-80,1xCPU" stands for: gpu:0, gpu:1 and cpu:0 with the links that
/// their kinds have, each wire a named channel. "2*(4xA100-80)@200Gbps" stands for two such hosts,
/// each with one port of a network, of 100 Gb/s unless given; devices are numbered through. Empty
/// where `text` is no such list, but a name or a path. Throws Error for an unknown kind, a detail
/// that is none, or a count out of range.
std::optional<Topology> topology_of_shorthand(const std::string& text);

}  // namespace placer
