// Drawings of a placement, ops coloured by device: Graphviz' DOT and GraphML with the colours that
// yEd and Gephi read as data.
#include <fmt/format.h>

#include <array>

#include "io/plans/target.hpp"
#include "placer/base/markup.hpp"
#include "placer/base/text.hpp"

namespace placer {
namespace {

// ColorBrewer's Set3, which dark text can be read on.
constexpr std::array<std::string_view, 12> kColours = {"#8dd3c7", "#ffffb3", "#bebada", "#fb8072",
                                                       "#80b1d3", "#fdb462", "#b3de69", "#fccde5",
                                                       "#d9d9d9", "#bc80bd", "#ccebc5", "#ffed6f"};

constexpr RuntimeReserve kNothing = {.bytes = 0};

std::string_view colour_of(DeviceId device) { return kColours[device.index() % kColours.size()]; }

std::string escaped(const std::string& text) {
  std::string result;
  for (const char letter : printable(text)) {
    if (letter == '"' || letter == '\\') result += '\\';
    result += letter;
  }
  return result;
}

template <class Visit>
void for_each_edge(const Graph& graph, Visit visit) {
  for (const Tensor& tensor : graph.tensors()) {
    for (const OpId reader : tensor.consumers) visit(tensor, reader);
  }
}

std::string write_dot(const PlacedModel& model) {
  const Problem& problem = model.problem;
  std::string text = fmt::format("digraph \"{}\" {{\n  node [shape=box, style=filled];\n",
                                 escaped(problem.graph().name()));
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    const DeviceId device = model.placement[problem.groups().of(op)];
    text += fmt::format("  n{} [label=\"{}\\n{}\", fillcolor=\"{}\"];\n", op.index(),
                        escaped(problem.graph().op(op).name),
                        escaped(problem.topology().device(device).name), colour_of(device));
  }
  for_each_edge(problem.graph(), [&](const Tensor& tensor, OpId reader) {
    text += fmt::format("  n{} -> n{};\n", tensor.producer.index(), reader.index());
  });
  return text + "}\n";
}

std::string write_graphml(const PlacedModel& model) {
  const Problem& problem = model.problem;
  std::string text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n";
  for (const std::string_view key : {"name", "type", "device", "color"}) {
    text += fmt::format("  <key id=\"{}\" for=\"node\" attr.name=\"{}\" attr.type=\"string\"/>\n",
                        key, key);
  }
  text +=
      "  <key id=\"bytes\" for=\"edge\" attr.name=\"bytes\" attr.type=\"long\"/>\n"
      "  <graph edgedefault=\"directed\">\n";
  for (const OpId op : IdRange<OpId>(problem.op_count())) {
    const DeviceId device = model.placement[problem.groups().of(op)];
    const Op& each = problem.graph().op(op);
    text += fmt::format(
        "    <node id=\"n{}\"><data key=\"name\">{}</data><data key=\"type\">{}</data>"
        "<data key=\"device\">{}</data><data key=\"color\">{}</data></node>\n",
        op.index(), markup_text(each.name), markup_text(each.type),
        markup_text(problem.topology().device(device).name), colour_of(device));
  }
  for_each_edge(problem.graph(), [&](const Tensor& tensor, OpId reader) {
    text += fmt::format(
        "    <edge source=\"n{}\" target=\"n{}\"><data key=\"bytes\">{}</data></edge>\n",
        tensor.producer.index(), reader.index(), tensor.bytes);
  });
  return text + "  </graph>\n</graphml>\n";
}

}  // namespace

PlanTarget dot_target() {
  return {.name = {},
          .summary = "a drawing for Graphviz, ops coloured by device",
          .reserve = kNothing,
          .write = write_dot};
}

PlanTarget graphml_target() {
  return {.name = {},
          .summary = "a drawing in GraphML, ops coloured by device",
          .reserve = kNothing,
          .write = write_graphml};
}

}  // namespace placer
