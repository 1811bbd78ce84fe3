#include "cli/commands/machine_changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "cli/shared/device_rows.hpp"
#include "cli/shared/text.hpp"
#include "placer/base/errors.hpp"
#include "placer/model/device_subsets.hpp"

namespace placer {
namespace {

/// The devices of a kind.
using Kind = std::vector<DeviceId>;

std::vector<Kind> kinds_of(const Topology& topology) {
  std::map<DeviceId, Kind> kinds;
  for (const DeviceId device : IdRange<DeviceId>(topology.devices().size())) {
    kinds[topology.first_alike(device)].push_back(device);
  }
  std::vector<Kind> list;
  for (auto& [first, devices] : kinds) list.push_back(std::move(devices));
  return list;
}

Topology rebuilt(const Topology& topology, std::vector<Device> devices, std::vector<Link> links) {
  return {std::move(devices), std::move(links), topology.contention(), topology.transfers()};
}

std::vector<std::optional<DeviceId>> all_stay(const Topology& topology) {
  std::vector<std::optional<DeviceId>> now;
  for (const DeviceId device : IdRange<DeviceId>(topology.devices().size())) now.push_back(device);
  return now;
}

MachineChange faster_links(const Topology& topology) {
  std::vector<Link> links = topology.links();
  for (Link& link : links) {
    scale_bandwidth(link, 2);
    link.latency_seconds /= 2;
  }
  return {"every link twice as fast", rebuilt(topology, topology.devices(), std::move(links)),
          all_stay(topology), true};
}

MachineChange more_memory(const Topology& topology, std::int64_t more_bytes) {
  std::vector<Device> devices = topology.devices();
  for (Device& device : devices) device.memory_bytes += more_bytes;
  return {bytes_text(static_cast<double>(more_bytes)) + " more memory on every device",
          rebuilt(topology, std::move(devices), topology.links()), all_stay(topology), true};
}

/// A link that names `old_name`, for `new_name` as well.
void link_as(const std::string& old_name, const std::string& new_name, const std::string& sibling,
             std::vector<Link>& links) {
  const std::vector<Link> before = links;
  for (Link link : before) {
    const bool is_from = link.from == old_name, is_to = link.to == old_name;
    if (!is_from && !is_to) continue;
    if (is_from) link.from = new_name;
    if (is_to) link.to = new_name;
    links.push_back(link);
    const bool joins_siblings = link.to == sibling || link.from == sibling;
    if (!joins_siblings) continue;  // and the two new neighbours, as siblings are joined
    (is_from ? link.to : link.from) = old_name;
    links.push_back(link);
  }
}

/// Nothing says how two of a kind are linked where there is one: as it is with another device.
void link_two(const std::string& only, const std::string& added, std::vector<Link>& links) {
  const auto leaves = [&](const Link& link) { return link.from == only && link.to != added; };
  const auto found = std::ranges::find_if(links, leaves);
  if (found == links.end()) return;
  Link link = *found;
  link.to = added;
  links.push_back(link);
  std::swap(link.from, link.to);
  links.push_back(link);
}

MachineChange one_more(const Topology& topology, const Kind& kind) {
  std::vector<Device> devices = topology.devices();
  Device added = topology.device(kind.back());
  const std::string model = added.name;
  for (int number = 2; topology.find(added.name); ++number) {
    added.name = fmt::format("{} ({})", model, number);
  }
  std::vector<Link> links = topology.links();
  link_as(model, added.name, kind.size() > 1 ? topology.device(kind.front()).name : "", links);
  if (kind.size() == 1) link_two(model, added.name, links);
  devices.push_back(added);
  return {fmt::format("one {} more", model),
          rebuilt(topology, std::move(devices), std::move(links)), all_stay(topology), true};
}

MachineChange one_less(const Topology& topology, const Kind& kind) {
  std::vector<DeviceId> kept;
  std::vector<std::optional<DeviceId>> now;
  for (const DeviceId device : IdRange<DeviceId>(topology.devices().size())) {
    const bool stays = device != kind.back();
    now.push_back(stays ? std::optional(DeviceId(kept.size())) : std::nullopt);
    if (stays) kept.push_back(device);
  }
  if (kind.size() > 1) now[kind.back().index()] = now[kind.front().index()];
  return {.name = fmt::format("without {}", topology.device(kind.back()).name),
          .topology = topology_of(topology, kept),
          .now = std::move(now),
          .only_removes = true};
}

MachineChange replaced(const Topology& topology, const Kind& kind, const Kind& by) {
  std::vector<Device> devices = topology.devices();
  for (const DeviceId device : kind) {
    Device other = topology.device(by.front());
    other.name = topology.device(device).name;
    devices[device.index()] = std::move(other);
  }
  return {fmt::format("{} of the kind of {}", join(device_ranges(topology, kind)),
                      topology.device(by.front()).name),
          rebuilt(topology, std::move(devices), topology.links()), all_stay(topology)};
}

}  // namespace

std::vector<MachineChange> machine_changes(const Topology& topology, std::int64_t more_bytes) {
  std::vector<MachineChange> list;
  const auto add = [&](auto change) {
    try {
      list.push_back(change());
    } catch (const Error&) {  // a machine that cannot be, such as one whose links name a type
    }
  };
  if (!topology.links().empty()) add([&] { return faster_links(topology); });
  add([&] { return more_memory(topology, more_bytes); });
  const std::vector<Kind> kinds = kinds_of(topology);
  for (const Kind& kind : kinds) {
    if (topology.device(kind.front()).host) continue;
    add([&] { return one_more(topology, kind); });
    if (topology.devices().size() > 1) add([&] { return one_less(topology, kind); });
    for (const Kind& by : kinds) {
      if (&by == &kind || topology.device(by.front()).host) continue;
      add([&] { return replaced(topology, kind, by); });
    }
  }
  return list;
}

}  // namespace placer
