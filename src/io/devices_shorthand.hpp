#pragma once

#include <optional>
#include <string>

#include "placer/model/topology.hpp"

namespace placer {

/// The topology that "2xA100-80,1xCPU" stands for: gpu:0, gpu:1 and cpu:0 with the links that
/// their kinds have, each wire a named channel. Empty where `text` is no such list, but a name or a
/// path. Throws Error for an unknown kind or a count out of range.
std::optional<Topology> topology_of_shorthand(const std::string& text);

}  // namespace placer
