#pragma once

#include <map>
#include <string>

#include "placer/io/plan.hpp"

namespace placer::testing {

/// Reads a plan of the target for three layers of two ops between an embedding and a head, on a CPU
/// and two GPUs: whether each op is on a device that may have it. Throws Error for what is no plan.
bool reads_to_allowed_devices(const PlanTarget& target, const std::string& text,
                              const std::string& file);

/// By file name, a plan of each target that reads its own: the first half on the CPU where it takes
/// units like other devices, else on the first GPU, the rest on the second.
std::map<std::string, std::string> plan_seeds();

}  // namespace placer::testing
