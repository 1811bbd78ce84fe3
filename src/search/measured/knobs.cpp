#include "search/measured/knobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace placer {
namespace {

/// An efficiency is at most 1; the rest goes to the peaks.
void speed_up(Device& device, double factor) {
  const double wanted = device.efficiency * factor;
  device.efficiency = std::min(wanted, 1.0);
  const double rest = wanted / device.efficiency;
  if (device.flops_per_second.of_others) *device.flops_per_second.of_others *= rest;
  for (auto& [type, peak] : device.flops_per_second.of_dtype) peak *= rest;
  if (device.bytes_per_second) *device.bytes_per_second *= rest;
}

/// The places of links of the same numbers.
std::vector<std::vector<std::size_t>> alike_links(const std::vector<Link>& links) {
  std::map<LinkSpeed, std::size_t> known;
  std::vector<std::vector<std::size_t>> alike;
  for (std::size_t at = 0; at < links.size(); ++at) {
    const auto [found, is_new] = known.emplace(speed_of(links[at]), alike.size());
    if (is_new) alike.emplace_back();
    alike[found->second].push_back(at);
  }
  return alike;
}

}  // namespace

std::vector<Knob> knobs_of_types(const Topology& topology) {
  std::vector<Knob> knobs;
  std::vector<std::string> types;
  for (const Device& device : topology.devices()) {
    if (std::ranges::count(types, device.type) > 0) continue;
    types.push_back(device.type);
    const auto each = [type = device.type](auto change) {
      return [type, change](std::vector<Device>& devices, std::vector<Link>&, double factor) {
        for (Device& own : devices) {
          if (own.type == type) change(own, factor);
        }
      };
    };
    knobs.push_back({KnobKind::kEfficiency, "efficiency of " + device.type, each(speed_up)});
    const auto is_late = [&](const Device& own) {
      return own.type == device.type && own.launch_seconds > 0;
    };
    if (std::ranges::none_of(topology.devices(), is_late)) continue;
    knobs.push_back({KnobKind::kLaunch, "launch time of " + device.type,
                     each([](Device& own, double factor) { own.launch_seconds *= factor; })});
  }
  for (const std::vector<std::size_t>& alike : alike_links(topology.links())) {
    const auto each = [alike](auto change) {
      return [alike, change](std::vector<Device>&, std::vector<Link>& links, double factor) {
        for (const std::size_t at : alike) change(links[at], factor);
      };
    };
    const Link& link = topology.links()[alike.front()];
    std::string name = link.from + " -> " + link.to;
    if (alike.size() > 1) name += fmt::format(" and {} more", alike.size() - 1);
    knobs.push_back({KnobKind::kBandwidth, "bandwidth of " + name, each(scale_bandwidth)});
    if (link.latency_seconds == 0) continue;
    knobs.push_back({KnobKind::kLatency, "latency of " + name,
                     each([](Link& own, double factor) { own.latency_seconds *= factor; })});
  }
  return knobs;
}

std::vector<Knob> knobs_of_devices(const Topology& topology) {
  std::vector<Knob> knobs;
  const std::vector<Device>& all = topology.devices();
  for (std::size_t at = 0; at < all.size(); ++at) {
    if (std::ranges::count(all, all[at].type, &Device::type) == 1) continue;
    knobs.push_back({KnobKind::kEfficiency, "efficiency of " + all[at].name,
                     [at](std::vector<Device>& devices, std::vector<Link>&, double factor) {
                       speed_up(devices[at], factor);
                     }});
  }
  return knobs;
}

}  // namespace placer
