#include "io/devices_shorthand.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "io/field_json.hpp"
#include "io/hardware.hpp"
#include "placer/base/errors.hpp"
#include "placer/base/text.hpp"
#include "placer/io/json_value.hpp"

namespace placer {
namespace {

constexpr std::size_t kMostDevices = 64;

struct Item {
  std::string count, kind;  // "2", "A100-80"
};

std::vector<Item> split(const std::string& text) {
  std::vector<Item> items;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string part(trimmed(std::string_view(text).substr(begin, end - begin)));
    const std::size_t digits = std::min(part.find_first_not_of("0123456789"), part.size());
    const bool is_counted = digits > 0 && digits < part.size() && part[digits] == 'x';
    items.push_back(is_counted ? Item{part.substr(0, digits), part.substr(digits + 1)}
                               : Item{"", part});
    begin = end + 1;
  }
  return items;
}

bool is_shorthand(const std::vector<Item>& items, const std::string& text) {
  if (text.find_first_of("/.{") != std::string::npos) return false;  // a path, or a spec
  return items.size() > 1 || !items[0].count.empty() || find_hardware(items[0].kind) != nullptr;
}

std::size_t count_of(const Item& item, const std::string& text) {
  if (item.count.empty()) return 1;
  std::size_t count = 0;
  const char* end = item.count.data() + item.count.size();
  const auto [stopped, fault] = std::from_chars(item.count.data(), end, count);
  if (fault == std::errc() && stopped == end && count >= 1 && count <= kMostDevices) return count;
  throw Error(fmt::format("devices: expected 1 to {} devices of a kind, found '{}x{}' in '{}'",
                          kMostDevices, one_line(item.count, 20), one_line(item.kind, 60),
                          one_line(text, 200)));
}

/// All kinds, or those of its family ("A100-40, A100-80, ..." for A100).
std::vector<std::string> kinds_like(const std::string& found) {
  const std::vector<std::string> names = hardware_names();
  std::vector<std::string> family;
  std::ranges::copy_if(names, std::back_inserter(family),
                       [&](const std::string& name) { return name.starts_with(found + "-"); });
  return family.empty() ? names : family;
}

const Hardware& kind_of(const Item& item, const std::string& text) {
  if (const Hardware* kind = find_hardware(item.kind)) return *kind;
  const std::vector<std::string> kinds = kinds_like(item.kind);
  throw Error(fmt::format(
      "devices: expected a list such as 2xA100-80,1xCPU of {}, found '{}'{} in '{}'", join(kinds),
      one_line(item.kind, 60), did_you_mean(item.kind, kinds), one_line(text, 200)));
}

/// A device and where it hangs.
struct Placed {
  const Hardware* kind;
  std::string name;         // "gpu:3"
  std::size_t index;        // among those of its kind
  std::string pcie_switch;  // "" where it has lanes of its own
};

/// How many NVLinks join two devices of a DGX-1, by their numbers among eight: neighbours on the
/// faces of a cube, some of them by two links.
int nvlinks(std::size_t a, std::size_t b) {
  if (a / 8 != b / 8) return 0;
  const bool is_low = a % 4 < 2;
  switch ((a ^ b) % 8) {
    case 1:
      return is_low ? 1 : 2;
    case 2:
      return 1;
    case 3:
      return 2;
    case 4:
      return is_low ? 2 : 1;
    default:
      return 0;
  }
}

Link link_of(const Placed& from, const Placed& to, const Bus& bus, double links,
             std::vector<std::string> channels) {
  return {from.name, to.name, links * bus.giga_bytes_per_second * 1e9,
          bus.latency_microseconds / 1e6, std::move(channels)};
}

/// The slower of two.
const Bus& slower(const Bus& a, const Bus& b) {
  return a.giga_bytes_per_second <= b.giga_bytes_per_second ? a : b;
}

/// Out of `from`'s lanes and up its switch, down the other's switch and into `to`'s lanes; what
/// shares a switch stays below it, and a CPU has lanes for every switch.
Link host_link(const Placed& from, const Placed& to) {
  std::vector<std::string> channels;
  const bool leaves = from.pcie_switch.empty() || from.pcie_switch != to.pcie_switch;
  const auto is_gpu = [](const Placed& device) { return device.kind->type == "gpu"; };
  if (is_gpu(from)) channels.push_back(from.name + " pcie out");
  if (leaves && !from.pcie_switch.empty()) channels.push_back(from.pcie_switch + " up");
  if (leaves && !to.pcie_switch.empty()) channels.push_back(to.pcie_switch + " down");
  if (is_gpu(to)) channels.push_back(to.name + " pcie in");
  if (channels.empty()) channels.push_back(from.name + " -> " + to.name);
  const Bus& from_bus = find_bus(from.kind->host_link);
  const Bus& to_bus = find_bus(to.kind->host_link);
  if (!is_gpu(from)) return link_of(from, to, to_bus, 1, std::move(channels));
  if (!is_gpu(to)) return link_of(from, to, from_bus, 1, std::move(channels));
  return link_of(from, to, slower(from_bus, to_bus), 1, std::move(channels));
}

Link link_between(const Placed& from, const Placed& to) {
  if (from.kind != to.kind || from.kind->fabric == Fabric::kNone) return host_link(from, to);
  const Bus& bus = find_bus(from.kind->fabric_link);
  if (from.kind->fabric == Fabric::kSwitch) {
    return link_of(from, to, bus, 1, {from.name + " nvlink out", to.name + " nvlink in"});
  }
  const int links = nvlinks(from.index, to.index);
  if (links == 0) return host_link(from, to);
  return link_of(from, to, bus, from.kind->fabric == Fabric::kOneLink ? 1 : links,
                 {"nvlink " + from.name + " -> " + to.name});
}

Device device_of(const Placed& placed) {
  const Hardware& kind = *placed.kind;
  Device device;
  device.name = placed.name;
  device.type = kind.type;
  device.memory_bytes = std::llround(kind.giga_bytes * 1e9);
  device.flops_per_second.of_others = kind.tera_flops_per_second * 1e12;
  if (const Peaks* peaks = find_peaks(kind.name)) {
    const auto add = [&](const char* dtype, double tera) {
      if (tera > 0) device.flops_per_second.of_dtype.emplace_back(dtype, tera * 1e12);
    };
    add("float32", peaks->tera_float32);
    add("tf32", peaks->tera_tf32);
    add("float16", peaks->tera_float16);
    set_peak_of_others(device.flops_per_second);
  }
  device.bytes_per_second = kind.giga_bytes_per_second * 1e9;
  device.launch_seconds = kind.launch_microseconds / 1e6;
  device.efficiency = kind.efficiency;
  return device;
}

/// In the order of the list, numbered by type; switches are filled in that order, one kind each.
std::vector<Placed> place(const std::vector<Item>& items, const std::string& text) {
  std::vector<Placed> placed;
  std::map<std::string_view, std::size_t> of_type, of_kind;
  std::size_t switches = 0;
  for (const Item& item : items) {
    const Hardware& kind = kind_of(item, text);
    for (std::size_t count = count_of(item, text); count > 0; --count) {
      const std::size_t index = of_kind[kind.name]++;
      const bool opens = kind.per_switch > 1 && index % kind.per_switch == 0;
      if (opens) ++switches;
      placed.push_back({&kind, fmt::format("{}:{}", kind.type, of_type[kind.type]++), index,
                        kind.per_switch > 1 ? fmt::format("switch:{}", switches - 1) : ""});
    }
  }
  if (placed.size() <= kMostDevices) return placed;
  throw Error(fmt::format("devices: expected at most {} devices, found {} in '{}'", kMostDevices,
                          placed.size(), one_line(text, 200)));
}

}  // namespace

std::optional<Topology> topology_of_shorthand(const std::string& text) {
  const std::vector<Item> items = split(text);
  if (!is_shorthand(items, text)) return {};
  const std::vector<Placed> placed = place(items, text);
  std::vector<Device> devices;
  std::vector<Link> links;
  for (const Placed& from : placed) {
    devices.push_back(device_of(from));
    for (const Placed& to : placed) {
      if (from.name != to.name) links.push_back(link_between(from, to));
    }
  }
  return Topology(std::move(devices), std::move(links));
}

}  // namespace placer
