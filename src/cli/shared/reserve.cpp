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

std::int64_t bytes_of(const std::string& size) {
  const std::optional<double> bytes = parse_quantity(size, Measure::kBytes);
  if (bytes && *bytes >= 0 && *bytes <= kMostBytes) return static_cast<std::int64_t>(*bytes);
  throw Error(fmt::format("option --reserve: expected a size such as 1GiB or 500MiB, found '{}'",
                          one_line(size, 60)));
}

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

}  // namespace

Topology with_reserve(const Topology& topology, const std::string& size) {
  const std::int64_t reserved = bytes_of(size);
  return without(topology, [&](const Device& device) {
    if (device.memory_bytes >= reserved) return reserved;
    throw Error(fmt::format("option --reserve: expected at most the {} of '{}', found {}",
                            bytes_text(static_cast<double>(device.memory_bytes)), device.name,
                            one_line(size, 60)));
  });
}

Topology with_reserve(const Topology& topology, const RuntimeReserve& reserve) {
  return without(topology, [&](const Device& device) {
    const double share = reserve.most_share * static_cast<double>(device.memory_bytes);
    return std::min(reserve.bytes, static_cast<std::int64_t>(share));
  });
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
