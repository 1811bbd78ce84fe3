#include "cli/shared/device_rows.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace placer {
namespace {

constexpr std::size_t kMostRows = 64;
constexpr std::size_t kMostRanges = 16;
constexpr std::size_t kLeastOfRange = 5;

/// Whether `next` is `name` with a number at its end that is one more.
bool follows(std::string_view name, std::string_view next) {
  constexpr std::size_t kMostDigits = 9;
  const auto end_of_stem = [](std::string_view whole) {
    return whole.find_last_not_of("0123456789") + 1;
  };
  const std::size_t stem = end_of_stem(name);
  if (stem != end_of_stem(next) || name.substr(0, stem) != next.substr(0, stem)) return false;
  const auto number_of = [&](std::string_view whole) -> std::optional<int> {
    const std::string digits(whole.substr(stem));
    if (digits.empty() || digits.size() > kMostDigits) return std::nullopt;
    return std::stoi(digits);
  };
  const auto number = number_of(name);
  return number && number_of(next) == *number + 1;
}

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

std::vector<std::string> device_ranges(const Topology& topology,
                                       std::span<const DeviceId> devices) {
  const auto name = [&](std::size_t at) { return topology.device(devices[at]).name; };
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < devices.size();) {
    if (parts.size() == kMostRanges) {
      parts.push_back(fmt::format("{} more", devices.size() - begin));
      break;
    }
    std::size_t end = begin + 1;
    while (end < devices.size() && follows(name(end - 1), name(end))) ++end;
    const bool is_range = end - begin >= kLeastOfRange;
    parts.push_back(is_range ? fmt::format("{} to {}", name(begin), name(end - 1)) : name(begin));
    begin = is_range ? end : begin + 1;
  }
  return parts;
}

std::string range_text(const std::string& least, const std::string& most) {
  return least == most ? least : fmt::format("{} to {}", least, most);
}

}  // namespace placer
