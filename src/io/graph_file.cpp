#include "placer/io/graph_file.hpp"

#include "io/devices_json.hpp"
#include "io/graph_edges.hpp"
#include "placer/io/files.hpp"

namespace placer {
namespace {

OutputShape output_from(const JsonCursor& cursor) {
  JsonObject object(cursor);
  OutputShape output;
  const JsonCursor shape = object.required("shape");
  shape.for_each_element(
      [&](const JsonCursor& extent) { output.shape.push_back(extent.integer(0)); });
  if (const auto dtype = object.find("dtype")) output.dtype = dtype->take_name();
  object.no_other_keys();
  return output;
}

Op op_from(const JsonCursor& cursor) {
  JsonObject object(cursor);
  Op op;
  op.name = object.required("name").take_name();
  if (const auto type = object.find("type")) op.type = type->take_text();
  if (const auto seconds = object.find("seconds")) {
    seconds->for_each_member([&](std::string_view device, const JsonCursor& value) {
      op.seconds.emplace_back(device, value.number(0));
    });
  }
  if (const auto flops = object.find("flops")) op.flops = flops->number(0);
  if (const auto bytes = object.find("bytes")) op.bytes = bytes->number(0);
  if (const auto params = object.find("params_bytes")) op.params_bytes = params->integer(0);
  if (const auto temp = object.find("temp_bytes")) op.temp_bytes = temp->integer(0);
  if (const auto group = object.find("group")) op.group = group->take_name();
  if (const auto devices = object.find("devices")) {
    const std::size_t count = devices->for_each_element(
        [&](const JsonCursor& device) { op.devices.push_back(device.take_name()); });
    if (count == 0) devices->fail("at least one device name or type", "none");
  }
  if (const auto backward = object.find("backward")) op.backward = backward->boolean();
  if (const auto outputs = object.find("outputs")) {
    outputs->for_each_element(
        [&](const JsonCursor& output) { op.outputs.push_back(output_from(output)); });
  }
  object.no_other_keys();
  return op;
}

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
  JsonValue root = parse_json(text, file);
  const JsonCursor cursor(root, file);
  JsonObject object(cursor);
  check_format(object, "placer-graph");
  std::string name;
  if (const auto given = object.find("name")) name = given->take_text();
  const JsonCursor op_list = object.required("ops");
  std::vector<Op> ops;
  ops.reserve(op_list.size());
  op_list.for_each_element([&](const JsonCursor& op) { ops.push_back(op_from(op)); });
  std::vector<Tensor> tensors = tensors_from(object, ops);
  std::optional<Topology> devices;
  if (const auto own = object.find("devices")) devices = topology_from(*own);
  object.no_other_keys();
  return with_place(cursor, [&] {
    return GraphFile{Graph(std::move(name), std::move(ops), std::move(tensors)),
                     std::move(devices)};
  });
}

GraphFile read_graph(const std::string& path) { return parse_graph(read_text(path), path); }

}  // namespace placer
