#include "cli/shared/device_rows.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace placer {
namespace {

constexpr std::size_t kMostRows = 64;

}  // namespace

std::vector<DeviceRow> device_rows(const Topology& topology) {
  const std::size_t count = topology.devices().size();
  std::vector<DeviceRow> rows;
  if (count <= kMostRows) {
    for (const DeviceId id : IdRange<DeviceId>(count)) {
      rows.push_back({topology.device(id).name, {id}});
    }
    return rows;
  }
  for (const bool by_type : {true, false}) {
    rows.clear();
    std::map<std::pair<std::string, std::int64_t>, std::size_t> known;
    for (const DeviceId id : IdRange<DeviceId>(count)) {
      const Device& device = topology.device(id);
      const auto [at, is_new] =
          known.emplace(std::pair(by_type ? device.type : "", device.memory_bytes), rows.size());
      if (is_new) rows.push_back({device.name, {}});
      rows[at->second].devices.push_back(id);
    }
    if (rows.size() <= kMostRows) break;
  }
  for (DeviceRow& row : rows) {
    const std::size_t others = row.devices.size() - 1;
    if (others > 0) row.name += fmt::format(" and {} other{}", others, others > 1 ? "s" : "");
  }
  return rows;
}

std::string range_text(const std::string& least, const std::string& most) {
  return least == most ? least : fmt::format("{} to {}", least, most);
}

}  // namespace placer
