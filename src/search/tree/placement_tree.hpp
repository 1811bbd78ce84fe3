#pragma once

#include "placer/search/search.hpp"
#include "search/tree/node_budget.hpp"

namespace placer {

/// Gives groups devices one by one, always going on with the partial placement whose least step
/// time (PartialBound) is least, once something has been scored: the first that is complete would
/// be the best if that bound were its step time. Where the best is not proven in the end, the
/// search knows the least bound of what is left. `lower_ps` is a lower bound on the step time.
/// Placements in which identical devices change places are looked at once, as far as they take the
/// same time. Under order `given` nothing complete is settled, as other orders may be shorter.
ExactEnd search_placement_tree(Search& search, NodeBudget& nodes, std::int64_t most_in_vain,
                               Picoseconds lower_ps);

}  // namespace placer
