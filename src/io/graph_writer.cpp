#include <fmt/format.h>

#include "io/devices_json.hpp"
#include "io/json_writer.hpp"
#include "placer/base/errors.hpp"
#include "placer/io/graph_file.hpp"

namespace placer {
namespace {

std::string names_text(const std::vector<std::string>& names) {
  std::vector<std::string> quoted;
  for (const std::string& name : names) quoted.push_back(json_quoted(name));
  return fmt::format("[{}]", join(quoted));
}

std::string output_text(const OutputShape& output) {
  std::vector<std::string> extents;
  for (const std::int64_t extent : output.shape) extents.push_back(std::to_string(extent));
  std::string text = fmt::format(R"({{"shape": [{}])", join(extents));
  if (!output.dtype.empty()) text += ", " + json_key("dtype") + json_quoted(output.dtype);
  return text + "}";
}

std::string op_text(const Op& op) {
  std::string text = fmt::format("{{{}{}", json_key("name"), json_quoted(op.name));
  const auto add = [&](std::string_view key, const std::string& value) {
    text += ", " + json_key(key) + value;
  };
  if (!op.type.empty()) add("type", json_quoted(op.type));
  std::vector<std::string> items;
  for (const auto& [device, seconds] : op.seconds) {
    items.push_back(json_key(device) + json_number(seconds));
  }
  if (!items.empty()) add("seconds", fmt::format("{{{}}}", join(items)));
  if (op.flops) add("flops", json_number(*op.flops));
  if (op.bytes) add("bytes", json_number(*op.bytes));
  if (op.params_bytes != 0) add("params_bytes", std::to_string(op.params_bytes));
  if (op.temp_bytes != 0) add("temp_bytes", std::to_string(op.temp_bytes));
  if (!op.group.empty()) add("group", json_quoted(op.group));
  if (!op.devices.empty()) add("devices", names_text(op.devices));
  if (op.backward) add("backward", "true");
  items.clear();
  for (const OutputShape& output : op.outputs) items.push_back(output_text(output));
  if (!items.empty()) add("outputs", fmt::format("[{}]", join(items)));
  return text + "}";
}

std::string tensor_text(const Tensor& tensor, const Graph& graph) {
  std::vector<std::string> consumers;
  for (const OpId consumer : tensor.consumers) consumers.push_back(graph.op(consumer).name);
  std::string text = "{";
  if (!tensor.name.empty()) text += json_key("name") + json_quoted(tensor.name) + ", ";
  text +=
      fmt::format(R"("producer": {}, "consumers": {}, "bytes": {})",
                  json_quoted(graph.op(tensor.producer).name), names_text(consumers), tensor.bytes);
  if (tensor.keep) text += ", \"keep\": true";
  if (tensor.transfer_seconds) {
    text += ", " + json_key("transfer_seconds") + json_number(*tensor.transfer_seconds);
  }
  return text + "}";
}

}  // namespace

std::string write_graph(const Graph& graph, const Topology* devices) {
  std::string text = fmt::format(
      "{{\n  \"format\": \"placer-graph\",\n  \"version\": 1,\n  \"name\": {},\n  \"ops\": [",
      json_quoted(graph.name()));
  const char* separator = "\n    ";
  for (const Op& op : graph.ops()) {
    text += separator + op_text(op);
    separator = ",\n    ";
  }
  text += "\n  ],\n  \"tensors\": [";
  separator = "\n    ";
  for (const Tensor& tensor : graph.tensors()) {
    text += separator + tensor_text(tensor, graph);
    separator = ",\n    ";
  }
  text += graph.tensors().empty() ? "]" : "\n  ]";
  if (devices != nullptr) text += ",\n  \"devices\": " + topology_text(*devices, "  ");
  return text + "\n}\n";
}

}  // namespace placer
