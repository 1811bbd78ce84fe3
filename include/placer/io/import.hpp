#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "placer/base/observer.hpp"
#include "placer/io/graph_file.hpp"
#include "placer/model/graph.hpp"
#include "placer/model/placement.hpp"
#include "placer/model/topology.hpp"

namespace placer {

/// What another program's file says of a graph, and of its machine and a placement where it does.
struct Imported {
  std::string format;  // the name in import_formats()
  Graph graph;
  std::optional<Topology> devices;     // the machine that the file is for
  std::vector<DeviceId> device_of;     // the file's own placement, by op; empty: it has none
  std::optional<Sequences> sequences;  // the order of that placement
  std::optional<double> step_seconds;  // what the file claims of it
  std::vector<std::string> notes;      // what became of parts that are no ops; one line each
};

/// A shape that the user gives a value of the model: an input, or what a node makes.
struct ShapeOverride {
  std::string name;
  std::vector<std::int64_t> shape;  // empty: a scalar
};
/// Of "NAME=1x3x224x224" or, for a scalar, "NAME=". Throws Error.
ShapeOverride parse_shape(const std::string& text);

struct ImportOptions {
  std::string format;                      // one of import_formats(); empty: by content
  std::optional<std::int64_t> processors;  // task graphs of identical processors: how many
  bool inference = false;                  // leave out the backward ops of a training profile
  std::vector<ShapeOverride> shape;        // of a model's values, where the file leaves them open
  Observer observer;                       // told what was read, how long it took, and the notes
};

/// A row of the table of formats (src/io/importers/importers.def).
struct ImportFormat {
  std::string name;                  // what --format takes
  std::string summary;               // what such a file is and how its parts are read
  std::vector<std::string> options;  // the members of ImportOptions that it reads, but for `format`
};
const std::vector<ImportFormat>& import_formats();

/// Reads `text`, the contents of `file`. Every op of the file becomes an op of the graph or is
/// named in `notes`. Throws Error for what no format or not the forced one reads, and for an option
/// that the format does not read: "FILE: PLACE: expected ..., found ...".
Imported import_text(const std::string& text, const std::string& file,
                     const ImportOptions& options = {});
Imported import_file(const std::string& path, const ImportOptions& options = {});
/// A `placer-graph` file, or one of another format that its content tells, imported without
/// options; `observer` is told as in ImportOptions. Throws Error as read_graph() and import_file()
/// do.
GraphFile read_any_graph(const std::string& path, const Observer& observer = {});

}  // namespace placer
