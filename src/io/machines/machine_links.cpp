#include "io/machines/machine_links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace placer {
namespace {

constexpr double kNetworkSeconds = 25e-6;  // a copy over PCIe, and the network

bool is_gpu(const Placed& device) { return device.kind->type == "gpu"; }

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

}  // namespace

Link link_within_host(const Placed& from, const Placed& to) {
  if (from.kind != to.kind || from.kind->fabric == Fabric::kNone) return host_link(from, to);
  const Bus& bus = find_bus(from.kind->fabric_link);
  if (from.kind->fabric == Fabric::kSwitch) {
    return link_of(from, to, bus, 1, {from.name + " nvlink out", to.name + " nvlink in"});
  }
  if (from.kind->fabric == Fabric::kEach) {
    return link_of(from, to, bus, 1, {"fabric " + from.name + " -> " + to.name});
  }
  const int links = nvlinks(from.index, to.index);
  if (links == 0) return host_link(from, to);
  return link_of(from, to, bus, from.kind->fabric == Fabric::kOneLink ? 1 : links,
                 {"nvlink " + from.name + " -> " + to.name});
}

Link link_between_hosts(const Placed& from, const Placed& to, double bytes_per_second) {
  std::vector<std::string> channels;
  const auto reach = [&](const Placed& device, const char* way) {
    if (!is_gpu(device)) return;
    channels.push_back(fmt::format("{} pcie {}", device.name, way));
    const double giga_bytes = find_bus(device.kind->host_link).giga_bytes_per_second;
    bytes_per_second = std::min(bytes_per_second, giga_bytes * 1e9);
  };
  reach(from, "out");
  channels.push_back(fmt::format("host:{} network out", from.host));
  channels.push_back(fmt::format("host:{} network in", to.host));
  reach(to, "in");
  return {from.name, to.name, bytes_per_second, kNetworkSeconds, std::move(channels)};
}

}  // namespace placer
