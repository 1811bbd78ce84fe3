#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/importers/source.hpp"
#include "placer/io/import.hpp"

namespace placer {

/// A format. Each is defined by a file NAME.cpp of this folder and listed by a line of
/// importers.def.
struct Importer {
  ImportFormat format;  // its name is that of importers.def
  /// Whether the file is of this format. It looks only as closely as is needed to tell the formats
  /// apart.
  bool (*recognises)(ImportSource& source);
  Imported (*read)(ImportSource& source, const ImportOptions& options);
};

/// A graph of these ops and tensors, their names made printable. Throws Error for what Graph
/// refuses; the message begins with the file.
Graph imported_graph(const ImportSource& source, std::string name, std::vector<Op> ops,
                     std::vector<Tensor> tensors);

/// The first extent of all inputs of several dimensions; empty where it is not the same.
std::optional<std::int64_t> samples_of(const Graph& graph);

/// `count` devices "p0", "p1", ... of type "processor" with links of `bytes_per_second` and room
/// for everything; transfers do not wait for each other.
Topology identical_processors(std::size_t count, double bytes_per_second);

/// More devices than this are taken for a slip, not for a machine.
inline constexpr std::int64_t kMostImportedDevices = 1024;
/// The memory of a device where the format has no limits of memory.
inline constexpr std::int64_t kRoomyBytes = 1'000'000'000'000'000;

}  // namespace placer
