#pragma once

#include <string>
#include <vector>

#include "io/plans/target.hpp"

namespace placer {

/// The arguments that place experts apart from their layers, with a space before each: --cpu-moe,
/// --n-cpu-moe N and --override-tensor PATTERN=DEVICE; "" where none is needed.
std::string expert_arguments(const PlacedModel& model);

/// Moves experts to where arguments of llama.cpp put them; `by_unit` has them with their layers.
/// The first pattern that finds a tensor's name decides. Throws Error for a pattern that is none or
/// finds no experts, one that finds other tensors as well, and for experts of a layer on several
/// devices.
void place_experts(const std::vector<std::string>& words, const std::string& file,
                   const Topology& devices, const ModelUnits& units,
                   std::vector<DeviceId>& by_unit);

}  // namespace placer
