#include "io/openvino/ir.hpp"

#include <fmt/format.h>

#ifdef PLACER_PUGIXML
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <pugixml.hpp>
#include <unordered_map>

#include "io/importers/text_fields.hpp"
#endif

namespace placer {

std::string IrLayer::place() const {
  return fmt::format("layer {} ('{}')", id, one_line(name, 100));
}

#ifndef PLACER_PUGIXML

IrModel read_ir(const ImportSource& source) {
  source.fail("", "a program built with pugixml (Debian: libpugixml-dev) to read OpenVINO IR",
              "one built without");
}

#else
namespace {

constexpr double kMostElements = 1e15;
constexpr std::int64_t kMostExtent = 1'000'000'000'000;
constexpr std::size_t kMostPorts = 4096;

struct Precision {
  std::string_view name;
  double bits;
};
constexpr std::array kPrecisions = std::to_array<Precision>(
    {{"FP64", 64},  {"FP32", 32},  {"FP16", 16}, {"BF16", 16}, {"I64", 64}, {"I32", 32},
     {"I16", 16},   {"I8", 8},     {"I4", 4},    {"U64", 64},  {"U32", 32}, {"U16", 16},
     {"U8", 8},     {"U4", 4},     {"U2", 2},    {"U1", 1},    {"BIN", 1},  {"NF4", 4},
     {"F8E4M3", 8}, {"F8E5M2", 8}, {"BOOL", 8}});

std::string line_and_column(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto line = std::ranges::count(before, '\n') + 1;
  return fmt::format("line {}, column {}", line, before.size() - (before.rfind('\n') + 1) + 1);
}

class IrReader {
 public:
  explicit IrReader(const ImportSource& source) : source_(source) {}

  IrModel read() && {
    pugi::xml_document document;
    const pugi::xml_parse_result parsed =
        document.load_buffer(source_.text().data(), source_.text().size());
    if (!parsed) {
      source_.fail(line_and_column(source_.text(), static_cast<std::size_t>(parsed.offset)), "XML",
                   fmt::format("a fault: {}", parsed.description()));
    }
    const pugi::xml_node net = document.child("net");
    if (!net) source_.fail("", "the element <net>", "none");
    const std::string_view version = net.attribute("version").as_string();
    if (version != "10" && version != "11") {
      source_.fail("net", "version 10 or 11", fmt::format("'{}'", one_line(version, 20)));
    }
    model_.name = one_line(net.attribute("name").as_string(), 200);
    for (const pugi::xml_node node : element(net, "layers").children("layer")) read_layer(node);
    for (const pugi::xml_node node : element(net, "edges").children("edge")) read_edge(node);
    require_sources();
    return std::move(model_);
  }

 private:
  pugi::xml_node element(pugi::xml_node parent, const char* name) const {
    const pugi::xml_node found = parent.child(name);
    if (!found) source_.fail(parent.name(), fmt::format("the element <{}>", name), "none");
    return found;
  }

  std::int64_t integer(std::string_view text, const std::string& place, std::string_view meaning,
                       std::int64_t most) const {
    const auto number = parsed_number<std::int64_t>(trimmed(text));
    if (number && *number >= 0 && *number <= most) return *number;
    source_.fail(place, fmt::format("{}, an integer from 0 to {}", meaning, most),
                 fmt::format("'{}'", one_line(text, 40)));
  }

  void read_layer(pugi::xml_node node) {
    IrLayer layer;
    const std::string position = fmt::format("layers[{}]", model_.layers.size());
    layer.id = integer(node.attribute("id").as_string(), position, "an id", kMostExtent);
    layer.name = one_line(node.attribute("name").as_string(), 400);
    layer.type = node.attribute("type").as_string();
    if (layer.name.empty()) source_.fail(position, "a name", "none");
    if (!by_id_.emplace(layer.id, model_.layers.size()).second) {
      source_.fail(position, "an id of its own", fmt::format("{} again", layer.id));
    }
    read_data(node.child("data"), layer);
    for (const pugi::xml_node port : node.child("input").children("port")) {
      layer.inputs.push_back(port_from(port, layer));
    }
    for (const pugi::xml_node port : node.child("output").children("port")) {
      layer.outputs.push_back(port_from(port, layer));
      set_bytes(layer.outputs.back(), port.attribute("precision").as_string(), layer);
    }
    if (layer.inputs.size() + layer.outputs.size() > kMostPorts) {
      source_.fail(layer.place(), fmt::format("at most {} ports", kMostPorts), "more");
    }
    layer.sources.resize(layer.inputs.size());
    has_source_.emplace_back(layer.inputs.size(), 0);
    model_.layers.push_back(std::move(layer));
  }

  void read_data(pugi::xml_node data, IrLayer& layer) const {
    layer.transpose_a = data.attribute("transpose_a").as_bool();
    std::string_view kernel = data.attribute("kernel").as_string();
    while (!kernel.empty()) {
      const std::size_t end = kernel.find(',');
      layer.kernel.push_back(
          integer(kernel.substr(0, end), layer.place(), "an extent of the kernel", kMostExtent));
      kernel.remove_prefix(end == std::string_view::npos ? kernel.size() : end + 1);
    }
    if (layer.type == "Const") {
      layer.stored_bytes = static_cast<double>(
          integer(data.attribute("size").as_string(), layer.place(), "the constant's size in bytes",
                  static_cast<std::int64_t>(kMostElements)));
    }
  }

  IrPort port_from(pugi::xml_node node, const IrLayer& layer) const {
    IrPort port;
    port.id =
        integer(node.attribute("id").as_string(), layer.place(), "the id of a port", kMostExtent);
    const std::string place = fmt::format("{}, port {}", layer.place(), port.id);
    for (const pugi::xml_node extent : node.children("dim")) {
      port.shape.push_back(integer(extent.child_value(), place, "a fixed dimension", kMostExtent));
      port.elements *= static_cast<double>(port.shape.back());
    }
    if (!(port.elements <= kMostElements)) {
      source_.fail(place, fmt::format("at most {} elements", kMostElements),
                   fmt::format("{}", port.elements));
    }
    return port;
  }

  void set_bytes(IrPort& port, std::string_view precision, const IrLayer& layer) const {
    const auto known = std::ranges::find(kPrecisions, precision, &Precision::name);
    if (known == kPrecisions.end()) {
      source_.fail(fmt::format("{}, port {}", layer.place(), port.id),
                   "a precision with a fixed size (FP32, I64, ...)",
                   fmt::format("'{}'", one_line(precision, 40)));
    }
    port.precision = known->name;
    port.bytes = std::ceil(port.elements * known->bits / 8);
  }

  std::size_t layer_of(pugi::xml_node edge, const char* key, const std::string& place) const {
    const std::int64_t id = integer(edge.attribute(key).as_string(), place, key, kMostExtent);
    const auto at = by_id_.find(id);
    if (at == by_id_.end())
      source_.fail(place, fmt::format("{}, the id of a layer", key), fmt::format("{}", id));
    return at->second;
  }

  std::size_t port_of(pugi::xml_node edge, const char* key, const std::string& place,
                      const std::vector<IrPort>& ports) const {
    const std::int64_t id = integer(edge.attribute(key).as_string(), place, key, kMostExtent);
    const auto at = std::ranges::find(ports, id, &IrPort::id);
    if (at == ports.end()) {
      source_.fail(place, fmt::format("{}, the id of a port of the layer", key),
                   fmt::format("{}", id));
    }
    return static_cast<std::size_t>(at - ports.begin());
  }

  void read_edge(pugi::xml_node edge) {
    const std::string place = fmt::format("edges[{}]", edges_++);
    IrSource from;
    from.layer = layer_of(edge, "from-layer", place);
    from.output = port_of(edge, "from-port", place, model_.layers[from.layer].outputs);
    const std::size_t to = layer_of(edge, "to-layer", place);
    IrLayer& reader = model_.layers[to];
    const std::size_t input = port_of(edge, "to-port", place, reader.inputs);
    if (has_source_[to][input] != 0) {
      source_.fail(place, "one edge to each input",
                   fmt::format("a second one to {}", reader.place()));
    }
    has_source_[to][input] = 1;
    reader.sources[input] = from;
    const IrPort& output = model_.layers[from.layer].outputs[from.output];
    IrPort& port = reader.inputs[input];
    if (port.shape != output.shape) {
      source_.fail(place, "equal dimensions at both ends",
                   fmt::format("others at {}", reader.place()));
    }
    port.bytes = output.bytes;
    port.precision = output.precision;
  }

  void require_sources() const {
    for (std::size_t i = 0; i < model_.layers.size(); ++i) {
      const auto missing = std::ranges::find(has_source_[i], 0);
      if (missing == has_source_[i].end()) continue;
      const auto input = static_cast<std::size_t>(missing - has_source_[i].begin());
      source_.fail(
          fmt::format("{}, port {}", model_.layers[i].place(), model_.layers[i].inputs[input].id),
          "an edge to this input", "none");
    }
  }

  const ImportSource& source_;
  IrModel model_;
  std::unordered_map<std::int64_t, std::size_t> by_id_;
  std::vector<std::vector<char> > has_source_;  // by layer and input
  std::size_t edges_ = 0;
};

}  // namespace

IrModel read_ir(const ImportSource& source) { return IrReader(source).read(); }

#endif

}  // namespace placer
