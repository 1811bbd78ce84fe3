#pragma once

#include "placer/search/search.hpp"
#include "search/bounds/stretches.hpp"

namespace placer {

/// Raises what the parts of `stretches` are known to take, by branch and bound over the placements
/// of each, with more and more nodes until all are proven or the search is spent. Nodes count as
/// evaluations, those of a part as the share of one that its ops are.
void prove_stretches(Search& search, Stretches& stretches);

}  // namespace placer
