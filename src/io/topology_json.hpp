#pragma once

#include <string>

#include "io/json_reader.hpp"
#include "placer/model/topology.hpp"

namespace placer {

/// The devices of a whole file or of a graph file's own `devices`, where `format` and `version` may
/// be left out.
Topology read_topology(const JsonCursor& cursor);
/// A devices object, one device and one link for each line; `indent` opens every line but the
/// first.
std::string topology_json(const Topology& topology, const std::string& indent);

}  // namespace placer
