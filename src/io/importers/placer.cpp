// Our own graph files: checked, and written again in the writer's form.
#include "io/importers/importer.hpp"
#include "placer/io/graph_file.hpp"

namespace placer {
namespace {

Imported read(ImportSource& source, const ImportOptions&) {
  GraphFile file = parse_graph(source.text(), source.file());
  return {.format = {},
          .graph = std::move(file.graph),
          .devices = std::move(file.devices),
          .yield = file.yield};
}

/// Files of ours that are no graphs, too: they get the graph reader's message.
bool recognises(ImportSource& source) { return source.has_keys({"format", "version"}); }

}  // namespace

Importer placer_importer() {
  return {.format = {.name = {}, .summary = "our own graphs, checked and rewritten"},
          .recognises = recognises,
          .read = read};
}

}  // namespace placer
