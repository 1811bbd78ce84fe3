#pragma once

#include <vector>

#include "placer/io/plan.hpp"

namespace placer {

/// What Accelerate does for device_map="auto" and "sequential".
std::vector<DefaultPlan> accelerate_plans(const Problem& problem);

}  // namespace placer
