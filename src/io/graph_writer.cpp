#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "io/devices_json.hpp"
#include "io/json/writer.hpp"
#include "placer/io/graph_file.hpp"

namespace placer {
namespace {

// Everything is added to one text: a graph of a million ops makes hundreds of megabytes.

void add_quoted(std::string& text, std::string_view value) {
  const bool is_plain = std::ranges::none_of(
      value, [](char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20; });
  if (!is_plain) {
    text += json_quoted(value);
    return;
  }
  text += '"';
  text += value;
  text += '"';
}

void add_key(std::string& text, std::string_view key) {
  if (text.back() != '{') text += ", ";
  add_quoted(text, key);
  text += ": ";
}

template <class Number>
void add_number(std::string& text, Number value) {
  fmt::format_to(std::back_inserter(text), "{}", value);
}

/// "[a, b]", each item by `add`.
template <class Items, class Add>
void add_list(std::string& text, const Items& items, Add add) {
  text += '[';
  const char* separator = "";
  for (const auto& item : items) {
    text += separator;
    add(item);
    separator = ", ";
  }
  text += ']';
}

void add_output(std::string& text, const OutputShape& output) {
  text += '{';
  add_key(text, "shape");
  add_list(text, output.shape, [&](std::int64_t extent) { add_number(text, extent); });
  if (!output.dtype.empty()) {
    add_key(text, "dtype");
    add_quoted(text, output.dtype);
  }
  text += '}';
}

void add_seconds(std::string& text, const Op& op) {
  add_key(text, "seconds");
  text += '{';
  for (const auto& [device, seconds] : op.seconds) {
    add_key(text, device);
    add_number(text, seconds);
  }
  text += '}';
}

void add_op(std::string& text, const Op& op) {
  const auto add_text = [&](std::string_view key, std::string_view value) {
    if (value.empty()) return;
    add_key(text, key);
    add_quoted(text, value);
  };
  const auto add = [&](std::string_view key, auto value) {
    add_key(text, key);
    add_number(text, value);
  };
  text += '{';
  add_text("name", op.name);
  add_text("type", op.type);
  if (!op.seconds.empty()) add_seconds(text, op);
  if (op.flops) add("flops", *op.flops);
  if (op.bytes) add("bytes", *op.bytes);
  if (op.params_bytes != 0) add("params_bytes", op.params_bytes);
  if (op.temp_bytes != 0) add("temp_bytes", op.temp_bytes);
  add_text("group", op.group);
  if (!op.devices.empty()) {
    add_key(text, "devices");
    add_list(text, op.devices, [&](const std::string& name) { add_quoted(text, name); });
  }
  if (op.backward) add("backward", true);
  if (!op.outputs.empty()) {
    add_key(text, "outputs");
    add_list(text, op.outputs, [&](const OutputShape& output) { add_output(text, output); });
  }
  text += '}';
}

void add_tensor(std::string& text, const Tensor& tensor, const Graph& graph) {
  text += '{';
  if (!tensor.name.empty()) {
    add_key(text, "name");
    add_quoted(text, tensor.name);
  }
  add_key(text, "producer");
  add_quoted(text, graph.op(tensor.producer).name);
  add_key(text, "consumers");
  add_list(text, tensor.consumers, [&](OpId op) { add_quoted(text, graph.op(op).name); });
  add_key(text, "bytes");
  add_number(text, tensor.bytes);
  if (tensor.keep) {
    add_key(text, "keep");
    text += "true";
  }
  if (tensor.transfer_seconds) {
    add_key(text, "transfer_seconds");
    add_number(text, *tensor.transfer_seconds);
  }
  text += '}';
}

}  // namespace

std::string write_graph(const Graph& graph, const Topology* devices) {
  std::string text = fmt::format(
      "{{\n  \"format\": \"placer-graph\",\n  \"version\": 1,\n  \"name\": {},\n  \"ops\": [",
      json_quoted(graph.name()));
  const char* separator = "\n    ";
  for (const Op& op : graph.ops()) {
    text += separator;
    add_op(text, op);
    separator = ",\n    ";
  }
  text += "\n  ],\n  \"tensors\": [";
  separator = "\n    ";
  for (const Tensor& tensor : graph.tensors()) {
    text += separator;
    add_tensor(text, tensor, graph);
    separator = ",\n    ";
  }
  text += graph.tensors().empty() ? "]" : "\n  ]";
  if (devices != nullptr) text += ",\n  \"devices\": " + topology_text(*devices, "  ");
  text += "\n}\n";
  return text;
}

}  // namespace placer
