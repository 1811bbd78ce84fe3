#include <type_traits>

#include "io/devices_json.hpp"
#include "io/field_json.hpp"
#include "io/json/writer.hpp"
#include "placer/io/graph_file.hpp"

namespace placer {
namespace {

void write_tensor(JsonWriter& writer, const Tensor& tensor, const Graph& graph) {
  write_object(writer, kTensorFields, tensor, [&](const auto& member) {
    using Member = std::remove_cvref_t<decltype(member)>;
    if constexpr (std::is_same_v<Member, OpId>) {
      writer.value(graph.op(member).name);
    } else if constexpr (std::is_same_v<Member, std::vector<OpId>>) {
      writer.begin_array();
      for (const OpId op : member) writer.value(graph.op(op).name);
      writer.end_array();
    } else {
      write_value(writer, member);
    }
  });
}

}  // namespace

std::string write_graph(const Graph& graph, const Topology* devices, const StepYield& yield) {
  using Layout = JsonWriter::Layout;
  JsonWriter writer;
  writer.begin_object(Layout::kLines);
  writer.member("format", "placer-graph");
  writer.member("version", 1);
  writer.member("name", graph.name());
  if (yield.samples) writer.member("samples", *yield.samples);
  if (yield.tokens) writer.member("tokens", *yield.tokens);
  writer.key("ops");
  writer.begin_array(Layout::kLines);
  for (const Op& op : graph.ops()) write_object(writer, kOpFields, op);
  writer.end_array();
  writer.key("tensors");
  writer.begin_array(Layout::kLines);
  for (const Tensor& tensor : graph.tensors()) write_tensor(writer, tensor, graph);
  writer.end_array();
  if (devices != nullptr) {
    writer.key("devices");
    write_topology(writer, *devices);
  }
  writer.end_object();
  return std::move(writer).take() + "\n";
}

}  // namespace placer
