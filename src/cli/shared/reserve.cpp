#include "cli/shared/reserve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "cli/shared/device_rows.hpp"
#include "cli/shared/text.hpp"
#include "placer/base/errors.hpp"
#include "placer/base/quantity.hpp"
#include "placer/base/text.hpp"
#include "placer/model/cpus.hpp"

namespace placer {
namespace {

constexpr double kMostBytes = 1e15;

/// The same devices with `reserved(device)` bytes less in each accelerator.
template <class Reserved>
Topology without(const Topology& topology, Reserved reserved) {
  std::vector<Device> devices = topology.devices();
  for (Device& device : devices) {
    if (!is_cpu(device)) device.memory_bytes -= reserved(device);
  }
  return Topology(std::move(devices), topology.links(), topology.contention(),
                  topology.transfers());
}

std::int64_t bytes_of(const std::string& size) {
  const std::optional<double> bytes = parse_quantity(size, Measure::kBytes);
  if (bytes && *bytes >= 0 && *bytes <= kMostBytes) return static_cast<std::int64_t>(*bytes);
  throw Error(fmt::format("option --reserve: expected a size such as 1GiB or 500MiB, found '{}'",
                          one_line(size, 60)));
}

/// Throws Error where a device is named that is no accelerator of the topology.
void check_names(const Topology& topology, const std::string& reserve) {
  for (const std::string& item : split(reserve, ',')) {
    const std::size_t sign = item.find('=');
    if (sign == std::string::npos) continue;
    const std::optional<DeviceId> device = topology.find(item.substr(0, sign));
    if (device && !is_cpu(topology.device(*device))) continue;
    throw Error(fmt::format("option --reserve: expected an accelerator of the spec, found '{}'",
                            one_line(item.substr(0, sign), 60)));
  }
}

}  // namespace

std::int64_t reserve_bytes(const std::string& reserve, const std::string& device) {
  std::int64_t bytes = 0;
  for (const std::string& item : split(reserve, ',')) {
    const std::size_t sign = item.find('=');
    const std::int64_t size = bytes_of(item.substr(sign == std::string::npos ? 0 : sign + 1));
    if (sign == std::string::npos || item.substr(0, sign) == device) bytes = size;
  }
  return bytes;
}

std::int64_t runtime_bytes(const RuntimeReserve& reserve, std::int64_t memory_bytes) {
  const double share = reserve.most_share * static_cast<double>(memory_bytes);
  return std::min(reserve.bytes, static_cast<std::int64_t>(share));
}

Topology with_reserve(const Topology& topology, const std::string& reserve) {
  check_names(topology, reserve);
  return without(topology, [&](const Device& device) {
    const std::int64_t reserved = reserve_bytes(reserve, device.name);
    if (device.memory_bytes >= reserved) return reserved;
    throw Error(fmt::format("option --reserve: expected at most the {} of '{}', found {}",
                            bytes_text(static_cast<double>(device.memory_bytes)), device.name,
                            one_line(reserve, 60)));
  });
}

Topology with_reserve(const Topology& topology, const RuntimeReserve& reserve) {
  return without(topology,
                 [&](const Device& device) { return runtime_bytes(reserve, device.memory_bytes); });
}

std::string reserve_text(const Topology& whole, const Topology& left) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max(), most = 0;
  for (std::size_t i = 0; i < whole.devices().size(); ++i) {
    if (is_cpu(whole.devices()[i])) continue;
    const std::int64_t bytes = whole.devices()[i].memory_bytes - left.devices()[i].memory_bytes;
    least = std::min(least, bytes);
    most = std::max(most, bytes);
  }
  if (most == 0) return {};
  return range_text(bytes_text(static_cast<double>(least)), bytes_text(static_cast<double>(most))) +
         " of each accelerator";
}

}  // namespace placer
