#pragma once

#include <string_view>

#include "search/learned/marginals.hpp"

namespace placer {

/// The learner's first marginals, after everything on one device has been tried (so that no result
/// is worse): uniform; under init `heuristic` leaning half towards HEFT's placement, and where the
/// user gave a start, half towards that.
Marginals first_marginals(Search& search, std::string_view init);

}  // namespace placer
