#include <fmt/format.h>

#include <type_traits>

#include "io/devices_json.hpp"
#include "io/field_json.hpp"
#include "io/json/writer.hpp"
#include "placer/io/graph_file.hpp"

namespace placer {
namespace {

void add_tensor(std::string& text, const Tensor& tensor, const Graph& graph) {
  const auto add_name = [&](OpId op) { add_value(text, graph.op(op).name); };
  add_object(text, kTensorFields, tensor, [&](const auto& member) {
    using Member = std::remove_cvref_t<decltype(member)>;
    if constexpr (std::is_same_v<Member, OpId>) {
      add_name(member);
    } else if constexpr (std::is_same_v<Member, std::vector<OpId>>) {
      add_list(text, member, add_name);
    } else {
      add_value(text, member);
    }
  });
}

}  // namespace

// Everything is added to one text: a graph of a million ops makes hundreds of megabytes.
std::string write_graph(const Graph& graph, const Topology* devices) {
  std::string text = fmt::format(
      "{{\n  \"format\": \"placer-graph\",\n  \"version\": 1,\n  \"name\": {},\n  \"ops\": [",
      json_quoted(graph.name()));
  const char* separator = "\n    ";
  for (const Op& op : graph.ops()) {
    text += separator;
    add_object(text, kOpFields, op);
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
