#pragma once

#include <cstdint>
#include <string>

#include "placer/io/plan.hpp"
#include "placer/model/topology.hpp"

namespace placer {

/// The same devices, with less memory in each accelerator: in what is neither of type cpu nor a
/// host. `reserve` is what a runtime takes before the model, such as "1GiB", or "1GiB,gpu:0=6GiB"
/// where one accelerator has a size of its own; the last one holds. Throws Error for what is no
/// size, one that an accelerator has not, and a name that is no accelerator's.
Topology with_reserve(const Topology& topology, const std::string& reserve);

/// The same for a size that nobody gave.
Topology with_reserve(const Topology& topology, const RuntimeReserve& reserve);

/// What such a reserve takes of the accelerator of that name. Throws Error for what is no size.
std::int64_t reserve_bytes(const std::string& reserve, const std::string& device);
/// What a runtime takes of an accelerator of `memory_bytes`.
std::int64_t runtime_bytes(const RuntimeReserve& reserve, std::int64_t memory_bytes);

/// "1.000 GiB of each accelerator": the least and the most that `left` lacks.
std::string reserve_text(const Topology& whole, const Topology& left);

}  // namespace placer
