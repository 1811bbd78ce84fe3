#include "cli/shared/reserve.hpp"

#include <fmt/format.h>

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

}  // namespace

Topology with_reserve(const Topology& topology, const std::string& size) {
  const std::int64_t reserved = bytes_of(size);
  std::vector<Device> devices = topology.devices();
  for (Device& device : devices) {
    if (is_cpu(device)) continue;
    if (device.memory_bytes < reserved) {
      throw Error(fmt::format("option --reserve: expected at most the {} of '{}', found {}",
                              bytes_text(static_cast<double>(device.memory_bytes)), device.name,
                              one_line(size, 60)));
    }
    device.memory_bytes -= reserved;
  }
  return Topology(std::move(devices), topology.links(), topology.contention(),
                  topology.transfers());
}

}  // namespace placer
