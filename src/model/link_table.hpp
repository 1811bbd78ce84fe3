#pragma once

#include <vector>

#include "placer/model/topology.hpp"

namespace placer {

/// The most specific link for each pair of devices. Throws Error where two fit a pair equally well,
/// or links tell more devices apart than a topology may have ends.
LinkTable links_between(const std::vector<Device>& devices, const std::vector<Link>& links);

}  // namespace placer
