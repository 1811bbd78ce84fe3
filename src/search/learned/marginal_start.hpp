#pragma once

#include "placer/base/names.hpp"
#include "search/learned/marginals.hpp"

namespace placer {

enum class MarginalInit { kUniform, kHeuristic };
constexpr Names<2> names_of(MarginalInit) { return {"uniform", "heuristic"}; }

/// The learner's first marginals, after everything on one device has been tried (unless the request
/// leaves that out): uniform, or leaning half towards HEFT's placement, and where the
/// user gave a start, half towards that.
Marginals first_marginals(Search& search, MarginalInit init);

}  // namespace placer
