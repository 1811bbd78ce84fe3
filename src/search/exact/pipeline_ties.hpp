#pragma once

#include <vector>

#include "placer/base/observer.hpp"
#include "search/groups/pipeline_units.hpp"

namespace placer {

/// Tells where more than half of the groups whose forward ops take time are one unit, and of which
/// group that comes: the one whose forward ops are the farthest apart.
void warn_of_ties(const Problem& problem, const std::vector<PipelineUnit>& units,
                  const Observer& observer);

}  // namespace placer
