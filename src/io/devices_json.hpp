#pragma once

#include <string>
#include <string_view>

#include "placer/io/json_reader.hpp"
#include "placer/model/topology.hpp"

namespace placer {

/// A `placer-devices` object: a whole file, or a graph's own `devices`.
Topology topology_from(const JsonCursor& cursor);
/// The same as text; every line after the first opens with `indent`. No line end at the end.
std::string topology_text(const Topology& topology, std::string_view indent);

/// Sets the peak of types that `dtype_flops_per_second`, not empty, does not name: that of float32,
/// or the least.
void set_peak_of_others(Device& device);

}  // namespace placer
