#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "placer/base/member_count.hpp"
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
  StepYield yield;                     // of a file that says it
};

/// A shape that the user gives a value of the model: an input, or what a node makes.
struct ShapeOverride {
  std::string name;
  std::vector<std::int64_t> shape;  // empty: a scalar
};
/// Reads "NAME=1x3x224x224" or, for a scalar, "NAME=". Throws Error for anything else.
ShapeOverride parse_shape(const std::string& text);
/// What parse_shape() reads as this.
std::string to_text(const ShapeOverride& shape);

/// `kImportOptions` says what each member but the first and the last means, and which formats read
/// it.
struct ImportOptions {
  std::string format;  // one of import_formats(); empty: by content
  std::optional<std::int64_t> processors;
  bool inference = false;
  std::vector<ShapeOverride> shape;
  Observer observer;  // told what was read, how long it took, and the notes
};

/// A row for a member of ImportOptions; `import` has a flag for each.
struct ImportOption {
  std::string_view name;
  std::variant<std::optional<std::int64_t> ImportOptions::*,  // at least 1
               bool ImportOptions::*, std::vector<ShapeOverride> ImportOptions::*>
      member;
  std::string_view value_name;              // what help shows
  std::array<std::string_view, 3> formats;  // that read it; the rest is empty
  std::string_view meaning;                 // {} stands for the formats
};
inline constexpr std::array kImportOptions = std::to_array<ImportOption>({
    {"processors",
     &ImportOptions::processors,
     "N",
     {"stg"},
     "identical processors for a task graph ({}); they become the graph's own devices"},
    {"shape",
     &ImportOptions::shape,
     "NAME=1x3x224x224",
     {"onnx"},
     "extents of an input that the file leaves open, or of any value in the model ({}); may be "
     "repeated"},
    {"inference",
     &ImportOptions::inference,
     "",
     {"pipedream"},
     "the forward ops alone of a training profile ({})"},
});
static_assert(kImportOptions.size() + 2 == member_count<ImportOptions>);

/// A row of the table of formats (src/io/importers/importers.def).
struct ImportFormat {
  std::string name;     // what --format takes
  std::string summary;  // what such a file is and how its parts are read
};
const std::vector<ImportFormat>& import_formats();
std::vector<std::string> import_format_names();
/// The names of the formats that read it.
std::vector<std::string> formats_of(const ImportOption& option);

/// Reads `text`, the contents of `file`. Every op of the file becomes an op of the graph or is
/// named in `notes`. Throws Error for what no format or not the forced one reads, and for an option
/// that the format does not read: "FILE: PLACE: expected ..., found ...".
Imported import_text(const std::string& text, const std::string& file,
                     const ImportOptions& options = {});
Imported import_file(const std::string& path, const ImportOptions& options = {});
/// A `placer-graph` file, or one of another format that its content tells; `options.format` is not
/// read. Throws Error as read_graph() and import_file() do.
GraphFile read_any_graph(const std::string& path, const ImportOptions& options = {});

}  // namespace placer
