#include "placer/io/graph_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "io/json_reader.hpp"
#include "io/op_names.hpp"
#include "io/tensor_json.hpp"
#include "io/topology_json.hpp"
#include "placer/base/errors.hpp"
#include "placer/io/files.hpp"

namespace placer {
namespace {

/// So that no sum of sizes passes an int64.
constexpr double kMostBytesInAll = 4e18;

OutputShape read_output(const JsonCursor& cursor) {
  JsonObject members(cursor);
  OutputShape output;
  members.required("shape").for_each_element(
      [&](const JsonCursor& extent) { output.shape.push_back(extent.integer(0)); });
  if (const auto dtype = members.find("dtype")) output.dtype = dtype->take_name();
  members.no_other_keys();
  return output;
}

void read_costs(JsonObject& members, Op& op) {
  if (const auto seconds = members.find("seconds")) {
    seconds->for_each_member([&](std::string_view device, const JsonCursor& value) {
      op.seconds.emplace_back(device, value.number(0));
    });
  }
  if (const auto flops = members.find("flops")) op.flops = flops->number(0);
  if (const auto bytes = members.find("bytes")) op.bytes = bytes->number(0);
  if (const auto bytes = members.find("params_bytes")) op.params_bytes = bytes->integer(0);
  if (const auto bytes = members.find("temp_bytes")) op.temp_bytes = bytes->integer(0);
}

Op read_op(const JsonCursor& cursor) {
  JsonObject members(cursor);
  Op op;
  op.name = members.required("name").take_name();
  if (const auto type = members.find("type")) op.type = type->take_text();
  read_costs(members, op);
  if (const auto group = members.find("group")) op.group = group->take_name();
  if (const auto devices = members.find("devices")) {
    devices->for_each_element(
        [&](const JsonCursor& device) { op.devices.push_back(device.take_name()); });
    if (op.devices.empty()) devices->fail("at least one device name or type", "none");
  }
  if (const auto backward = members.find("backward")) op.backward = backward->boolean();
  if (const auto outputs = members.find("outputs")) {
    outputs->for_each_element(
        [&](const JsonCursor& output) { op.outputs.push_back(read_output(output)); });
  }
  members.no_other_keys();
  return op;
}

std::vector<Op> read_ops(const JsonCursor& list) {
  std::vector<Op> ops;
  ops.reserve(list.size());
  list.for_each_element([&](const JsonCursor& op) { ops.push_back(read_op(op)); });
  return ops;
}

std::vector<Tensor> read_tensors_or_edges(JsonObject& members, const std::vector<Op>& ops) {
  const std::optional<JsonCursor> tensors = members.find("tensors");
  const std::optional<JsonCursor> edges = members.find("edges");
  if (tensors && edges) {
    members.cursor().fail("either 'tensors' or 'edges'", "both");
  }
  if (tensors) return read_tensors(*tensors, OpNames(ops));
  if (edges) return read_edges(*edges, OpNames(ops), ops.size());
  return {};
}

void check_total_bytes(const JsonCursor& root, const Graph& graph) {
  double total = 0;
  for (const Op& op : graph.ops()) {
    total += static_cast<double>(op.params_bytes) + static_cast<double>(op.temp_bytes);
  }
  for (const Tensor& tensor : graph.tensors()) {
    total += static_cast<double>(tensor.bytes) * static_cast<double>(tensor.consumers.size() + 1);
  }
  if (total <= kMostBytesInAll) return;
  root.fail(fmt::format("at most {} bytes in all ops and tensors together", kMostBytesInAll),
            fmt::format("{}", total));
}

}  // namespace

GraphFile parse_graph(const std::string& text, const std::string& file) {
  JsonValue root = parse_json(text, file);
  const JsonCursor cursor(root, file);
  JsonObject members(cursor);
  check_format(members, "placer-graph");
  std::string name;
  if (const auto given = members.find("name")) name = given->take_text();
  std::vector<Op> ops = read_ops(members.required("ops"));
  std::vector<Tensor> tensors = read_tensors_or_edges(members, ops);
  std::optional<Topology> devices;
  if (const auto own = members.find("devices")) devices = read_topology(*own);
  members.no_other_keys();
  Graph graph = with_place(
      cursor, [&] { return Graph(std::move(name), std::move(ops), std::move(tensors)); });
  check_total_bytes(cursor, graph);
  return {std::move(graph), std::move(devices)};
}

GraphFile read_graph(const std::string& path) { return parse_graph(read_text(path), path); }

}  // namespace placer
