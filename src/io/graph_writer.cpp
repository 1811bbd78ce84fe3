#include "io/json_text.hpp"
#include "io/topology_json.hpp"
#include "placer/io/graph_file.hpp"

namespace placer {
namespace {

std::string seconds_json(const Op& op) {
  JsonLine line;
  for (const auto& [device, seconds] : op.seconds) line.number(device, seconds);
  return line.done();
}

std::string outputs_json(const Op& op) {
  std::string list;
  for (const OutputShape& output : op.outputs) {
    JsonLine line;
    std::string shape;
    for (const std::int64_t extent : output.shape) {
      shape += (shape.empty() ? "" : ", ") + std::to_string(extent);
    }
    line.raw("shape", "[" + shape + "]");
    if (!output.dtype.empty()) line.text("dtype", output.dtype);
    list += (list.empty() ? "" : ", ") + line.done();
  }
  return "[" + list + "]";
}

std::string op_json(const Op& op) {
  JsonLine line;
  line.text("name", op.name);
  if (!op.type.empty()) line.text("type", op.type);
  if (!op.seconds.empty()) line.raw("seconds", seconds_json(op));
  if (op.flops) line.number("flops", *op.flops);
  if (op.bytes) line.number("bytes", *op.bytes);
  if (op.params_bytes != 0) line.integer("params_bytes", op.params_bytes);
  if (op.temp_bytes != 0) line.integer("temp_bytes", op.temp_bytes);
  if (!op.group.empty()) line.text("group", op.group);
  if (!op.devices.empty()) line.raw("devices", json_list(op.devices));
  if (op.backward) line.raw("backward", "true");
  if (!op.outputs.empty()) line.raw("outputs", outputs_json(op));
  return line.done();
}

std::string tensor_json(const Graph& graph, const Tensor& tensor) {
  std::vector<std::string> consumers;
  for (const OpId consumer : tensor.consumers) consumers.push_back(graph.op(consumer).name);
  JsonLine line;
  if (!tensor.name.empty()) line.text("name", tensor.name);
  line.text("producer", graph.op(tensor.producer).name);
  line.raw("consumers", json_list(consumers));
  line.integer("bytes", tensor.bytes);
  if (tensor.keep) line.raw("keep", "true");
  if (tensor.transfer_seconds) line.number("transfer_seconds", *tensor.transfer_seconds);
  return line.done();
}

}  // namespace

std::string write_graph(const Graph& graph, const Topology* devices) {
  std::string text = "{\n  \"format\": \"placer-graph\",\n  \"version\": 1,\n";
  if (!graph.name().empty()) text += "  \"name\": " + json_quoted(graph.name()) + ",\n";
  if (devices != nullptr) text += "  \"devices\": " + topology_json(*devices, "  ") + ",\n";
  text += "  \"ops\": [";
  std::string_view separator = "\n    ";
  for (const Op& op : graph.ops()) {
    text.append(separator).append(op_json(op));
    separator = ",\n    ";
  }
  text += "\n  ],\n  \"tensors\": [";
  separator = "\n    ";
  for (const Tensor& tensor : graph.tensors()) {
    text.append(separator).append(tensor_json(graph, tensor));
    separator = ",\n    ";
  }
  text += graph.tensors().empty() ? "]\n}\n" : "\n  ]\n}\n";
  return text;
}

}  // namespace placer
