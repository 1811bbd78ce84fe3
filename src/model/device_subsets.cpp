#include "placer/model/device_subsets.hpp"

#include <algorithm>
#include <map>

namespace placer {
namespace {

using Kinds = std::vector<std::vector<DeviceId>>;

Kinds kinds_of(const Topology& topology) {
  std::map<DeviceId, std::vector<DeviceId>> kinds;
  for (const DeviceId device : IdRange<DeviceId>(topology.devices().size())) {
    kinds[topology.first_alike(device)].push_back(device);
  }
  Kinds list;
  for (auto& [first, devices] : kinds) list.push_back(std::move(devices));
  return list;
}

std::vector<std::size_t> every_count(std::size_t all) {
  std::vector<std::size_t> counts;
  for (std::size_t count = 0; count <= all; ++count) counts.push_back(count);
  return counts;
}

std::vector<std::size_t> few_counts(std::size_t all) {
  std::vector<std::size_t> counts = {0};
  for (std::size_t count = 1; count < all; count *= 2) counts.push_back(count);
  counts.push_back(all);
  return counts;
}

/// How many sets but the empty one have these counts of each kind; kMostDeviceSubsets where there
/// are more.
std::size_t set_count(const std::vector<std::vector<std::size_t>>& counts) {
  std::size_t sets = 1;
  for (const auto& of_kind : counts) sets = std::min(sets * of_kind.size(), kMostDeviceSubsets + 1);
  return sets - 1;
}

/// Of each kind.
std::vector<std::vector<std::size_t>> counts_of(const Kinds& kinds, std::size_t most) {
  std::vector<std::vector<std::size_t>> counts;
  for (const auto& devices : kinds) counts.push_back(every_count(devices.size()));
  if (set_count(counts) <= most) return counts;
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    counts[kind] = few_counts(kinds[kind].size());
  }
  return counts;
}

}  // namespace

Topology topology_of(const Topology& topology, const std::vector<DeviceId>& kept) {
  std::vector<Device> devices;
  for (const DeviceId device : kept) devices.push_back(topology.device(device));
  const auto means_some = [&](const std::string& pattern) {
    return std::ranges::any_of(devices,
                               [&](const Device& device) { return matches(pattern, device); });
  };
  std::vector<Link> links;
  for (const Link& link : topology.links()) {
    if (means_some(link.from) && means_some(link.to)) links.push_back(link);
  }
  return {std::move(devices), std::move(links), topology.contention(), topology.transfers()};
}

std::size_t device_subset_count(const Topology& topology, std::size_t most) {
  return set_count(counts_of(kinds_of(topology), most));
}

std::vector<std::vector<DeviceId>> device_subsets(const Topology& topology, std::size_t most) {
  const Kinds kinds = kinds_of(topology);
  const std::vector<std::vector<std::size_t>> counts = counts_of(kinds, most);
  std::vector<std::vector<DeviceId>> sets = {{}};
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    const std::vector<DeviceId>& devices = kinds[kind];
    std::vector<std::vector<DeviceId>> more;
    for (const std::vector<DeviceId>& set : sets) {
      for (const std::size_t count : counts[kind]) {
        more.push_back(set);
        more.back().insert(more.back().end(), devices.begin(),
                           devices.begin() + static_cast<std::ptrdiff_t>(count));
      }
    }
    sets = std::move(more);
  }
  std::erase(sets, std::vector<DeviceId>{});
  for (std::vector<DeviceId>& set : sets) std::ranges::sort(set);
  std::ranges::sort(sets, [](const auto& a, const auto& b) {
    return std::pair(a.size(), a) < std::pair(b.size(), b);
  });
  return sets;
}

}  // namespace placer
