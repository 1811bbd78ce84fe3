#include "placer/io/devices_file.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "io/devices_json.hpp"
#include "io/embedded.hpp"
#include "io/field_json.hpp"
#include "io/json/writer.hpp"
#include "io/machines/devices_shorthand.hpp"
#include "placer/base/names.hpp"
#include "placer/io/files.hpp"

namespace placer {

Topology topology_from(const JsonCursor& cursor) {
  JsonObject object(cursor);
  // A graph's own devices may leave it out: their file has said what it is.
  const bool is_own = !cursor.path().empty();
  if (!is_own || object.has("format") || object.has("version")) {
    check_format(object, "placer-devices");
  }
  std::vector<Device> devices;
  std::vector<Link> links;
  Contention contention = Contention::kLink;
  const JsonCursor device_list = object.required("devices");
  device_list.for_each_element([&](const JsonCursor& device) {
    devices.push_back(object_from<Device>(device, kDeviceFields));
  });
  const JsonCursor link_list = object.required("links");
  link_list.for_each_element(
      [&](const JsonCursor& link) { links.push_back(object_from<Link>(link, kLinkFields)); });
  if (const auto given = object.find("contention")) contention = given->one_of<Contention>();
  Transfers transfers = Transfers::kOverlap;
  if (const auto given = object.find("transfers")) transfers = given->one_of<Transfers>();
  object.no_other_keys();
  return with_place(cursor, [&] {
    return Topology(std::move(devices), std::move(links), contention, transfers);
  });
}

void write_topology(JsonWriter& writer, const Topology& topology) {
  using Layout = JsonWriter::Layout;
  writer.begin_object(Layout::kLines);
  writer.member("format", "placer-devices");
  writer.member("version", 1);
  writer.key("devices");
  writer.begin_array(Layout::kLines);
  for (const Device& device : topology.devices()) write_object(writer, kDeviceFields, device);
  writer.end_array();
  writer.key("links");
  writer.begin_array(Layout::kLines);
  for (const Link& link : topology.links()) write_object(writer, kLinkFields, link);
  writer.end_array();
  writer.member("contention", name_of(topology.contention()));
  if (topology.transfers() != Transfers::kOverlap) {
    writer.member("transfers", name_of(topology.transfers()));
  }
  writer.end_object();
}

Topology parse_devices(const std::string& text, const std::string& file) {
  const JsonDocument root = parse_json(text, file);
  return topology_from(JsonCursor(root, file));
}

Topology read_devices(const std::string& path) {
  return parse_devices(read_text(path), file_title(path));
}

std::string write_devices(const Topology& topology) {
  JsonWriter writer;
  write_topology(writer, topology);
  return std::move(writer).take() + "\n";
}

std::vector<std::string> shipped_device_names() {
  std::vector<std::string> names;
  for (const EmbeddedText& spec : embedded_shipped_devices()) names.push_back(spec.name);
  return names;
}

Topology find_devices(const std::string& name_or_path) {
  if (name_or_path == kStandardStream) return read_devices(name_or_path);
  std::error_code fault;
  const auto status = std::filesystem::status(name_or_path, fault);
  const bool is_there = std::filesystem::exists(status);
  if (is_there && !std::filesystem::is_directory(status)) return read_devices(name_or_path);
  for (const EmbeddedText& spec : embedded_shipped_devices()) {
    if (spec.name == name_or_path) return parse_devices(spec.text, spec.name);
  }
  if (auto topology = topology_of_shorthand(name_or_path)) return *std::move(topology);
  // What is there and cannot be read (a folder, a link that points nowhere, a file in a folder that
  // may not be searched) is told by its reason.
  const bool is_barred =
      status.type() == std::filesystem::file_type::none && fault != std::errc::filename_too_long;
  if (is_there || is_barred || std::filesystem::is_symlink(name_or_path, fault)) {
    return read_devices(name_or_path);
  }
  const std::vector<std::string> names = shipped_device_names();
  throw Error(fmt::format(
      "devices: expected a file, one of {}, or a list such as 3xK80,1xCPU, found '{}'{}",
      join(names), one_line(name_or_path, 80), did_you_mean(name_or_path, names)));
}

}  // namespace placer
