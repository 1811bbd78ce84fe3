#pragma once

#include <string>

#include "placer/io/plan.hpp"
#include "placer/model/topology.hpp"

namespace placer {

/// The same devices, with less memory in each accelerator: in what is neither of type cpu nor a
/// host. `size` is what a runtime takes before the model, such as "1GiB". Throws Error for what is
/// no size, and for one that an accelerator has not.
Topology with_reserve(const Topology& topology, const std::string& size);

/// The same for a size that nobody gave.
Topology with_reserve(const Topology& topology, const RuntimeReserve& reserve);
/// "1.000 GiB of each accelerator": the least and the most that `left` lacks.
std::string reserve_text(const Topology& whole, const Topology& left);

}  // namespace placer
