#include "cli/commands/prices.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "placer/base/errors.hpp"
#include "placer/base/quantity.hpp"
#include "placer/base/text.hpp"

namespace placer {

Prices prices_of(const Topology& topology, const std::optional<std::string>& lines) {
  Prices prices(topology.devices().size());
  if (!lines) return prices;
  for (std::size_t begin = 0; begin <= lines->size();) {
    const std::size_t end = std::min(lines->find('\n', begin), lines->size());
    const std::string line = lines->substr(begin, end - begin);
    const std::size_t equal = line.rfind('=');
    const std::string name = line.substr(0, equal);
    const std::optional<double> price =
        equal == std::string::npos ? std::nullopt
                                   : parse_quantity(line.substr(equal + 1), Measure::kPlain);
    bool is_known = false;
    for (const DeviceId device : IdRange<DeviceId>(prices.size())) {
      if (!matches(name, topology.device(device))) continue;
      is_known = true;
      prices[device.index()] = price.value_or(0);
    }
    if (!price || !(*price >= 0) || !is_known) {
      throw Error(fmt::format(
          "option --price: expected NAME=PRICE with the name or type of a device, found '{}'",
          one_line(line, 80)));
    }
    begin = end + 1;
  }
  return prices;
}

std::optional<double> price_of(const std::vector<DeviceId>& devices, const Prices& prices) {
  double sum = 0;
  for (const DeviceId device : devices) {
    if (!prices[device.index()]) return std::nullopt;
    sum += *prices[device.index()];
  }
  return sum;
}

std::vector<DeviceId> unpriced(const Prices& prices) {
  std::vector<DeviceId> devices;
  for (const DeviceId device : IdRange<DeviceId>(prices.size())) {
    if (!prices[device.index()]) devices.push_back(device);
  }
  return devices;
}

}  // namespace placer
