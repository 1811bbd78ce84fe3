#include "placer/io/devices_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "io/devices_json.hpp"
#include "io/devices_shorthand.hpp"
#include "io/embedded.hpp"
#include "io/json/writer.hpp"
#include "placer/base/names.hpp"
#include "placer/io/files.hpp"

namespace placer {
namespace {

constexpr std::int64_t kMostSlots = 65'536;

/// A number, or one for each of some types; of other types the one for float32, or the least.
void read_peaks(const JsonCursor& cursor, Device& device) {
  if (!cursor.is_object()) {
    device.flops_per_second = cursor.positive_number();
    return;
  }
  cursor.for_each_member([&](std::string_view dtype, const JsonCursor& peak) {
    const auto known = peak_dtypes();
    if (std::ranges::find(known, dtype) == known.end()) {
      cursor.fail("peaks of " + join(known), fmt::format("'{}'", one_line(dtype, 60)));
    }
    device.dtype_flops_per_second.emplace_back(dtype, peak.positive_number());
  });
  if (device.dtype_flops_per_second.empty()) cursor.fail("at least one peak", "none");
  set_peak_of_others(device);
}

Device device_from(const JsonCursor& cursor) {
  JsonObject object(cursor);
  Device device;
  device.name = object.required("name").take_name();
  device.type = object.required("type").take_name();
  device.memory_bytes = object.required("memory_bytes").integer(0);
  if (const auto slots = object.find("slots")) device.slots = slots->integer(1, kMostSlots);
  if (const auto flops = object.find("flops_per_second")) {
    read_peaks(*flops, device);
  }
  if (const auto bytes = object.find("bytes_per_second")) {
    device.bytes_per_second = bytes->positive_number();
  }
  if (const auto launch = object.find("launch_seconds")) device.launch_seconds = launch->number(0);
  if (const auto efficiency = object.find("efficiency")) {
    device.efficiency = efficiency->number(0, 1);
  }
  object.no_other_keys();
  return device;
}

Link link_from(const JsonCursor& cursor) {
  JsonObject object(cursor);
  Link link;
  link.from = object.required("from").take_name();
  link.to = object.required("to").take_name();
  link.bytes_per_second = object.required("bytes_per_second").positive_number();
  if (const auto latency = object.find("latency_seconds")) {
    link.latency_seconds = latency->number(0);
  }
  if (const auto channels = object.find("channels")) {
    const std::size_t count = channels->for_each_element(
        [&](const JsonCursor& channel) { link.channels.push_back(channel.take_name()); });
    if (count == 0) channels->fail("at least one channel", "none");
  }
  object.no_other_keys();
  return link;
}

Contention contention_from(const JsonCursor& cursor) { return cursor.one_of<Contention>(); }

std::string device_text(const Device& device) {
  std::string text =
      fmt::format(R"({{"name": {}, "type": {}, "memory_bytes": {})", json_quoted(device.name),
                  json_quoted(device.type), device.memory_bytes);
  const auto add = [&](std::string_view key, double value) {
    text += ", " + json_key(key) + json_number(value);
  };
  if (device.slots != 1) text += fmt::format(", \"slots\": {}", device.slots);
  if (!device.dtype_flops_per_second.empty()) {
    std::vector<std::string> peaks;
    for (const auto& [dtype, peak] : device.dtype_flops_per_second) {
      peaks.push_back(json_key(dtype) + json_number(peak));
    }
    text += ", " + json_key("flops_per_second") + "{" + join(peaks) + "}";
  } else if (device.flops_per_second) {
    add("flops_per_second", *device.flops_per_second);
  }
  if (device.bytes_per_second) add("bytes_per_second", *device.bytes_per_second);
  if (device.launch_seconds != 0) add("launch_seconds", device.launch_seconds);
  if (device.efficiency != 1) add("efficiency", device.efficiency);
  return text + "}";
}

std::string link_text(const Link& link) {
  std::string text =
      fmt::format(R"({{"from": {}, "to": {}, "bytes_per_second": {}, "latency_seconds": {})",
                  json_quoted(link.from), json_quoted(link.to), json_number(link.bytes_per_second),
                  json_number(link.latency_seconds));
  if (!link.channels.empty()) {
    std::vector<std::string> quoted;
    for (const std::string& channel : link.channels) quoted.push_back(json_quoted(channel));
    text += ", \"channels\": [" + join(quoted) + "]";
  }
  return text + "}";
}

}  // namespace

void set_peak_of_others(Device& device) {
  double least = device.dtype_flops_per_second.front().second;
  for (const auto& [dtype, peak] : device.dtype_flops_per_second) {
    if (dtype == "float32") {
      device.flops_per_second = peak;
      return;
    }
    least = std::min(least, peak);
  }
  device.flops_per_second = least;
}

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
  device_list.for_each_element(
      [&](const JsonCursor& device) { devices.push_back(device_from(device)); });
  const JsonCursor link_list = object.required("links");
  link_list.for_each_element([&](const JsonCursor& link) { links.push_back(link_from(link)); });
  if (const auto given = object.find("contention")) contention = contention_from(*given);
  object.no_other_keys();
  return with_place(cursor,
                    [&] { return Topology(std::move(devices), std::move(links), contention); });
}

std::string topology_text(const Topology& topology, std::string_view indent) {
  const auto list = [&](const auto& items, auto text_of) {
    std::string text;
    for (const auto& item : items) {
      text += fmt::format("{}\n{}    {}", text.empty() ? "" : ",", indent, text_of(item));
    }
    return items.empty() ? "[]" : fmt::format("[{}\n{}  ]", text, indent);
  };
  return fmt::format(
      "{{\n{0}  \"format\": \"placer-devices\",\n{0}  \"version\": 1,\n{0}  \"devices\": {1},\n"
      "{0}  \"links\": {2},\n{0}  \"contention\": {3}\n{0}}}",
      indent, list(topology.devices(), device_text), list(topology.links(), link_text),
      json_quoted(name_of(topology.contention())));
}

Topology parse_devices(const std::string& text, const std::string& file) {
  JsonValue root = parse_json(text, file);
  return topology_from(JsonCursor(root, file));
}

Topology read_devices(const std::string& path) { return parse_devices(read_text(path), path); }

std::string write_devices(const Topology& topology) { return topology_text(topology, "") + "\n"; }

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
  if (auto topology = topology_of_shorthand(name_or_path)) return *std::move(topology);
  const std::vector<std::string> names = shipped_device_names();
  throw Error(fmt::format("devices: expected a file or one of {}, found '{}'{}", join(names),
                          one_line(name_or_path, 200), did_you_mean(name_or_path, names)));
}

}  // namespace placer
