#include "placer/io/graph_file.hpp"

#include "io/devices_json.hpp"
#include "io/field_json.hpp"
#include "io/graph_edges.hpp"
#include "placer/io/files.hpp"

namespace placer {
namespace {

std::vector<Tensor> tensors_from(JsonObject& object, const std::vector<Op>& ops) {
  const auto tensors = object.find("tensors");
  const auto edges = object.find("edges");
  if (tensors && edges) object.cursor().fail("either 'tensors' or 'edges'", "both");
  if (tensors) return read_tensors(*tensors, ops);
  if (edges) return read_edges(*edges, ops);
  return {};
}

}  // namespace

GraphFile parse_graph(const std::string& text, const std::string& file) {
  const JsonDocument root = parse_json(text, file);
  const JsonCursor cursor(root, file);
  JsonObject object(cursor);
  check_format(object, "placer-graph");
  std::string name;
  if (const auto given = object.find("name")) name = given->text();
  StepYield yield;
  if (const auto given = object.find("samples")) yield.samples = given->integer(1);
  if (const auto given = object.find("tokens")) yield.tokens = given->integer(1);
  const JsonCursor op_list = object.required("ops");
  std::vector<Op> ops;
  ops.reserve(op_list.size());
  op_list.for_each_element(
      [&](const JsonCursor& op) { read_object(op, kOpFields, ops.emplace_back()); });
  std::vector<Tensor> tensors = tensors_from(object, ops);
  std::optional<Topology> devices;
  if (const auto own = object.find("devices")) devices = topology_from(*own);
  object.no_other_keys();
  return with_place(cursor, [&] {
    return GraphFile{
        Graph(std::move(name), std::move(ops), std::move(tensors)), std::move(devices), {}, yield};
  });
}

GraphFile read_graph(const std::string& path) {
  return parse_graph(read_text(path), file_title(path));
}

}  // namespace placer
