#pragma once

#include "placer/search/search.hpp"
#include "search/bounds/stretches.hpp"

namespace placer {

/// Raises what the parts of `stretches` are known to take, by branch and bound over the placements
/// of each, with more and more nodes until all are proven, the search is spent or `until` has
/// passed. Nodes count as evaluations, those of a part as the share of one that its ops are. False
/// where nothing was raised.
bool prove_stretches(Search& search, const Deadline& until, Stretches& stretches);

/// The bounds of what the search places, with its stretches so raised in `share` of what is left of
/// its budget; `known` where these are as good. The search knows them.
LowerBounds bounds_by_stretches(Search& search, double share, const LowerBounds& known);

}  // namespace placer
