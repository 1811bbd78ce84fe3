#pragma once

#include <optional>
#include <string>

#include "placer/model/graph.hpp"
#include "placer/model/step_yield.hpp"
#include "placer/model/topology.hpp"

namespace placer {

struct GraphFile {
  Graph graph;
  std::optional<Topology> devices;  // the file's own
  std::string imported_from;        // a name in import_formats(); empty: a file of ours
  StepYield yield;
};

/// Reads a `placer-graph` file. Throws Error: "FILE: JSON path: expected ..., found ...".
GraphFile read_graph(const std::string& path);
/// The same from text; `file` is what errors call it.
GraphFile parse_graph(const std::string& text, const std::string& file);
/// A `placer-graph` file that reads back as the same graph: one op and one tensor for each line.
std::string write_graph(const Graph& graph, const Topology* devices = nullptr,
                        const StepYield& yield = {});

}  // namespace placer
