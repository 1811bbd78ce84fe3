#pragma once

#include <functional>
#include <string>
#include <vector>

#include "placer/model/topology.hpp"

namespace placer {

enum class KnobKind { kEfficiency, kLaunch, kBandwidth, kLatency };

/// A number of the devices or links that `fit_costs` may multiply.
struct Knob {
  KnobKind kind;
  std::string what;  // "efficiency of cpu"
  std::function<void(std::vector<Device>&, std::vector<Link>&, double factor)> multiply;
};

/// For each type of device its efficiency and launch time, for links of the same numbers their
/// bandwidth and latency; what is 0 has none.
std::vector<Knob> knobs_of_types(const Topology& topology);
/// The efficiency of each device that is not the only one of its type.
std::vector<Knob> knobs_of_devices(const Topology& topology);

}  // namespace placer
