#pragma once

#include <string_view>

#include "search/learned/marginals.hpp"

namespace placer {

/// The marginals that a learner begins with. They are uniform; under init `heuristic` they lean
/// half towards HEFT's placement and, where the user gave a start, half towards that. Before,
/// everything on one device is tried for each device, so that no result is worse than that.
Marginals first_marginals(Search& search, std::string_view init);

}  // namespace placer
