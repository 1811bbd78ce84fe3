#pragma once

#include <optional>
#include <string>
#include <vector>

#include "placer/model/topology.hpp"

namespace placer {

/// What a device costs an hour, by device; empty: nothing says it.
using Prices = std::vector<std::optional<double>>;

/// The prices of lines NAME=PRICE, with names or types of devices. Throws Error.
Prices prices_of(const Topology& topology, const std::optional<std::string>& lines);

/// What all of `devices` cost; empty where the price of one is unknown.
std::optional<double> price_of(const std::vector<DeviceId>& devices, const Prices& prices);

/// The devices without a price.
std::vector<DeviceId> unpriced(const Prices& prices);

}  // namespace placer
