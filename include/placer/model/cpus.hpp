#pragma once

#include "placer/model/topology.hpp"

namespace placer {

/// Whether it is a processor of the machine itself, not an accelerator.
inline bool is_cpu(const Device& device) { return device.host || device.type == "cpu"; }

}  // namespace placer
