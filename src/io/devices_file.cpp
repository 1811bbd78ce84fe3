#include "placer/io/devices_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "io/embedded.hpp"
#include "io/json_text.hpp"
#include "io/topology_json.hpp"
#include "placer/base/errors.hpp"
#include "placer/io/files.hpp"

namespace placer {
namespace {

constexpr std::int64_t kMostSlots = 65536;

Device read_device(const JsonCursor& cursor) {
  JsonObject members(cursor);
  Device device;
  device.name = members.required("name").take_name();
  device.type = members.required("type").take_name();
  device.memory_bytes = members.required("memory_bytes").integer(0);
  if (const auto slots = members.find("slots")) device.slots = slots->integer(1, kMostSlots);
  if (const auto flops = members.find("flops_per_second")) {
    device.flops_per_second = flops->positive_number();
  }
  if (const auto bytes = members.find("bytes_per_second")) {
    device.bytes_per_second = bytes->positive_number();
  }
  if (const auto launch = members.find("launch_seconds")) {
    device.launch_seconds = launch->number(0);
  }
  if (const auto efficiency = members.find("efficiency")) {
    device.efficiency = efficiency->positive_number();
    if (device.efficiency > 1) efficiency->fail("a number above 0 and at most 1");
  }
  members.no_other_keys();
  return device;
}

Link read_link(const JsonCursor& cursor) {
  JsonObject members(cursor);
  Link link;
  link.from = members.required("from").take_name();
  link.to = members.required("to").take_name();
  link.bytes_per_second = members.required("bytes_per_second").positive_number();
  if (const auto latency = members.find("latency_seconds")) {
    link.latency_seconds = latency->number(0);
  }
  if (const auto channels = members.find("channels")) {
    channels->for_each_element(
        [&](const JsonCursor& name) { link.channels.push_back(name.take_name()); });
    if (link.channels.empty()) channels->fail("at least one channel", "none");
  }
  members.no_other_keys();
  return link;
}

Contention read_contention(const JsonCursor& cursor) {
  const std::string_view name = cursor.name();
  const auto names = contention_names();
  const auto at = std::ranges::find(names, name);
  if (at == names.end()) {
    cursor.fail("one of " + join(names), fmt::format("'{}'{}", name, did_you_mean(name, names)));
  }
  return static_cast<Contention>(at - names.begin());
}

std::string device_json(const Device& device) {
  JsonLine line;
  line.text("name", device.name).text("type", device.type);
  line.integer("memory_bytes", device.memory_bytes);
  if (device.slots != 1) line.integer("slots", device.slots);
  if (device.flops_per_second) line.number("flops_per_second", *device.flops_per_second);
  if (device.bytes_per_second) line.number("bytes_per_second", *device.bytes_per_second);
  if (device.launch_seconds != 0) line.number("launch_seconds", device.launch_seconds);
  if (device.efficiency != 1) line.number("efficiency", device.efficiency);
  return line.done();
}

std::string link_json(const Link& link) {
  JsonLine line;
  line.text("from", link.from).text("to", link.to);
  line.number("bytes_per_second", link.bytes_per_second);
  if (link.latency_seconds != 0) line.number("latency_seconds", link.latency_seconds);
  if (!link.channels.empty()) line.raw("channels", json_list(link.channels));
  return line.done();
}

}  // namespace

Topology read_topology(const JsonCursor& cursor) {
  JsonObject members(cursor);
  const bool is_whole_file = cursor.path().empty();
  if (is_whole_file || members.has("format") || members.has("version")) {
    check_format(members, "placer-devices");
  }
  std::vector<Device> devices;
  members.required("devices").for_each_element(
      [&](const JsonCursor& device) { devices.push_back(read_device(device)); });
  std::vector<Link> links;
  members.required("links").for_each_element(
      [&](const JsonCursor& link) { links.push_back(read_link(link)); });
  Contention contention = Contention::kLink;
  if (const auto name = members.find("contention")) contention = read_contention(*name);
  members.no_other_keys();
  return with_place(cursor,
                    [&] { return Topology(std::move(devices), std::move(links), contention); });
}

std::string topology_json(const Topology& topology, const std::string& indent) {
  const auto lines = [&](const auto& values, auto line_of) {
    std::string list;
    for (const auto& value : values) {
      list += (list.empty() ? "\n" : ",\n") + indent + "    " + line_of(value);
    }
    return list.empty() ? "[]" : "[" + list + "\n" + indent + "  ]";
  };
  const auto contention = static_cast<std::size_t>(topology.contention());
  return fmt::format(
      "{{\n{0}  \"format\": \"placer-devices\",\n{0}  \"version\": 1,\n{0}  \"devices\": {1},\n"
      "{0}  \"links\": {2},\n{0}  \"contention\": {3}\n{0}}}",
      indent, lines(topology.devices(), device_json), lines(topology.links(), link_json),
      json_quoted(contention_names()[contention]));
}

Topology parse_devices(const std::string& text, const std::string& file) {
  JsonValue root = parse_json(text, file);
  return read_topology(JsonCursor(root, file));
}

Topology read_devices(const std::string& path) { return parse_devices(read_text(path), path); }

std::string write_devices(const Topology& topology) { return topology_json(topology, "") + "\n"; }

std::vector<std::string> shipped_device_names() {
  std::vector<std::string> names;
  for (const EmbeddedText& spec : embedded_shipped_devices()) names.push_back(spec.name);
  return names;
}

Topology find_devices(const std::string& name_or_path) {
  std::error_code fault;
  const auto status = std::filesystem::status(name_or_path, fault);
  if (std::filesystem::exists(status) && !std::filesystem::is_directory(status)) {
    return read_devices(name_or_path);
  }
  for (const EmbeddedText& spec : embedded_shipped_devices()) {
    if (spec.name == name_or_path) return parse_devices(spec.text, spec.name);
  }
  const std::vector<std::string> names = shipped_device_names();
  throw Error(fmt::format("devices: expected a file or one of {}, found '{}'{}", join(names),
                          one_line(name_or_path, 200), did_you_mean(name_or_path, names)));
}

}  // namespace placer
