#pragma once

#include "io/json/writer.hpp"
#include "placer/io/json_reader.hpp"
#include "placer/model/topology.hpp"

namespace placer {

/// A `placer-devices` object: a whole file, or a graph's own `devices`.
Topology topology_from(const JsonCursor& cursor);
/// Writes the same: a value of its own, or of a graph's key.
void write_topology(JsonWriter& writer, const Topology& topology);

}  // namespace placer
