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

}  // namespace placer
